import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf, UserBlock } from '../src/process/user-block.js';

const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;

let folders: string[];

beforeEach(async () => {
  folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'trawl-users-'))));
});

afterEach(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

asRoot('two workers on a machine have no user id for runs in common', async () => {
  const [one, other] = await Promise.all(folders.map(folder => UserBlock.claim(folder)));
  expect(one?.has(one.uidOf(0))).toBe(true);
  expect(one?.has(other?.uidOf(0) ?? 0)).toBe(false);
});

asRoot('the socket that claims user ids has the maximum name length, which no Node version pads', async () => {
  const block = await UserBlock.claim(folders[0] as string);
  expect(block?.name).toHaveLength(108);
});

test('a worker uses 512 user ids for runs if the system has enough, and 64 in a rootless container', () => {
  const all = '         0          0 4294967295\n';
  const rootless = '         0       1000          1\n         1     100000      65535\n';
  expect(blocksOf([all, all])).toEqual({ first: 1_900_000_000, size: 512 });
  expect(blocksOf([rootless, rootless])).toEqual({ first: 62_000, size: 64 });
  expect(blocksOf([all, rootless])).toEqual({ first: 62_000, size: 64 });
});
