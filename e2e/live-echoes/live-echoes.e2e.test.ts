import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const PAGE = readFileSync('website/docs/tech/echo-messages.mdx', 'utf8');
/** These are more echoes than the connection can send at once, so the live view skips some batches. */
const ECHOES = 20_000;
const MAIN_JS = `
const { echo } = require('@trawl/echo');
module.exports = async () => {
  for (let n = 1; n <= ${ECHOES}; n += 1) {
    echo.log('echo ' + n);
    if (n % 5000 === 0) await new Promise(resolve => setTimeout(resolve, 300));
  }
};`;

const platform = sharedPlatform();
let developer: Api;
let folder: string;
let key: string;

beforeAll(async () => {
  developer = await platform.as('developer');
  key = (await developer('POST', '/joint-api/keys/addnew', { name: 'live echoes', scope: 'read' })).body.key;
  folder = mkdtempSync(join(tmpdir(), 'trawl-live-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('node_modules/socket.io-client'), join(folder, 'node_modules/socket.io-client'));
  copyFileSync('examples/clients/live-echoes.mjs', join(folder, 'live-echoes.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the documentation of live echoes installs the version of socket.io-client that is tested', () => {
  const { version } = JSON.parse(readFileSync('node_modules/socket.io-client/package.json', 'utf8'));
  expect(PAGE).toContain(`npm install socket.io-client@${version}\n`);
});

test('the sample program for live echoes follows a live run and prints every echo once, in order', async () => {
  const id = await platform.begin(await platform.skript('Many echoes', { 'main.js': MAIN_JS }));
  const [command = ''] = /^TRAWL_URL=.*$/m.exec(PAGE) ?? [];
  const text = command.replace('{platform}', platform.url).replace('trk_…', key).replace('{execution_id}', id);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', text], {
    cwd: folder,
    env: { HOME: folder, PATH: String(process.env.PATH) },
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines.pop()).toBe('The run has ended: end');
  expect(lines).toEqual(Array.from({ length: ECHOES }, (_, n) => `${n + 1} log echo ${n + 1}`));
});
