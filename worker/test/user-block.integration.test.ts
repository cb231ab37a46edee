import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserBlock } from '../src/process/user-block.js';

const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;

let folders: string[];

beforeEach(async () => {
  folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'trawl-users-'))));
});

afterEach(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

asRoot('two workers on a machine share no user id', async () => {
  const [one, other] = await Promise.all(folders.map(folder => UserBlock.claim(folder)));
  expect(one?.has(one.uidOf(0))).toBe(true);
  expect(one?.has(other?.uidOf(0) ?? 0)).toBe(false);
});

asRoot('the socket’s name has the maximum length, which no version of Node pads', async () => {
  const block = await UserBlock.claim(folders[0] as string);
  expect(block?.name).toHaveLength(108);
});
