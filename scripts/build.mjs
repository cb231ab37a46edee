// @ts-check
import { build } from './start/build.mjs';
import { install } from './start/install.mjs';
import { checkNodeVersion } from './start/node-version.mjs';
import { explain } from './start/problem.mjs';
import { readSettings } from './start/settings.mjs';
import { errorLine } from './start/terminal.mjs';

try {
  checkNodeVersion();
  await install();
  await build({ everything: true, publicUrl: readSettings().publicUrl });
} catch (error) {
  errorLine(explain(error));
  process.exitCode = 1;
}
