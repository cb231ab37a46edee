import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserBlock } from '../src/executor/user-block.js';

const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;

let folders: string[];

beforeEach(async () => {
  folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'trawl-users-'))));
});

afterEach(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

asRoot('two workers of a machine have no user id in common', async () => {
  const [one, other] = await Promise.all(folders.map(folder => UserBlock.claim(folder)));
  expect(one?.has(one.uidOf(0))).toBe(true);
  expect(one?.has(other?.uidOf(0) ?? 0)).toBe(false);
});

asRoot('the name that stands for them is one to every version of Node: none has anything to fill up', async () => {
  const block = await UserBlock.claim(folders[0] as string);
  expect(block?.name).toHaveLength(108);
});
