// @ts-check
import { build } from './common/build.mjs';
import { install } from './common/install.mjs';
import { checkNodeVersion } from './common/node-version.mjs';
import { explain } from './common/problem.mjs';
import { errorLine } from './common/terminal.mjs';
import { readSettings } from './start/settings.mjs';

try {
  checkNodeVersion();
  await install();
  // Loads `.env`, which has settings of the website.
  readSettings();
  await build();
} catch (error) {
  errorLine(explain(error));
  process.exitCode = 1;
}
