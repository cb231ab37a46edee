import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { session } from '../src/index.js';
import { localPortIn, memoryPort } from '../src/local/local-port.js';
import { describeSessions } from './session-contract.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown>;
const folder = mkdtempSync(join(tmpdir(), 'trawl-sessions-'));
const files = localPortIn(folder);

afterAll(() => {
  delete globals[PORT];
  files.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['in local files', files],
  ['in memory', memoryPort()],
])('sessions %s', (_, { port }) => {
  beforeAll(() => {
    globals[PORT] = port;
  });
  describeSessions();
});

test('a session is a file that only its user can read, and a broken one is refused with its path', async () => {
  globals[PORT] = files.port;
  const shop = session('shop');
  await shop.setCookies(['token=abc'], 'https://shop.example');
  await shop.save();
  const path = join(folder, 'sessions', 'shop.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { cookies } = JSON.parse(JSON.parse(readFileSync(path, 'utf8')).value);
  expect(cookies).toMatchObject([{ name: 'token', value: 'abc', domain: 'shop.example' }]);
  files.close();
  expect(await session('shop').cookieHeader('https://shop.example/')).toBe('token=abc');
  writeFileSync(path, '{');
  await expect(session('shop').cookieHeader('https://shop.example/')).rejects.toThrow(`${path} is no session.`);
});

test('cookies of a session that no save has stored are stored before the run ends', async () => {
  globals[PORT] = memoryPort().port;
  await session('left').setCookies(['token=abc'], 'https://shop.example');
  await (globals[Symbol.for('trawl.flushRows')] as () => Promise<void>)();
  expect(await session('left').cookieHeader('https://shop.example/')).toBe('token=abc');
});
