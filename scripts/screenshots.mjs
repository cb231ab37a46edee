// @ts-check
// `npm run screenshots` starts Trawl with an empty data folder and takes the pictures of the panel for the documentation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromRoot } from './common/paths.mjs';
import { freePair } from './start/ports.mjs';

const dataDir = mkdtempSync(join(tmpdir(), 'trawl-screenshots-'));
chmodSync(dataDir, 0o711); // Runs have users of their own, which must be able to enter.
const port = await freePair();
const trawl = spawn(process.execPath, [fromRoot('scripts', 'start.mjs')], {
  env: { TRAWL_PUBLIC_URL: 'http://localhost:3000', ...process.env, PORT: String(port), TRAWL_DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(trawl, 'exit');
try {
  let output = '';
  await new Promise((resolve, reject) => {
    trawl.stdout.on('data', chunk => {
      output += chunk;
      if (output.includes('Press Ctrl-C to stop')) resolve(undefined);
    });
    trawl.once('exit', code => reject(new Error(`npm start exited with ${code}:\n${output}`)));
  });
  const pictures = spawn(process.execPath, [fromRoot('website', 'scripts', 'make-screenshots.mjs')], {
    env: { ...process.env, TRAWL_URL: `http://127.0.0.1:${port}`, TRAWL_DATA_DIR: dataDir },
    stdio: 'inherit',
  });
  const [code] = await once(pictures, 'exit');
  process.exitCode = code ?? 1;
} finally {
  trawl.kill('SIGINT');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}
