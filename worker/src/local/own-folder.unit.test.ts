import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOwnFolder } from './own-folder.js';

let cache: string;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'trawl-own-folder-'));
});

afterEach(() => rmSync(cache, { recursive: true }));

const setOld = (folder: string) => utimesSync(folder, 0, 0);

test('a local run removes folders that killed processes left, and no folder that is in use or new', async () => {
  const used = await makeOwnFolder(cache);
  const left = join(cache, 'local-runs', 'left');
  const begun = join(cache, 'local-runs', 'begun');
  for (const folder of [left, begun]) mkdirSync(folder);
  for (const folder of [left, used.path]) setOld(folder);
  const own = await makeOwnFolder(cache);
  expect([left, begun, used.path, own.path].map(existsSync)).toEqual([false, true, true, true]);
  for (const folder of [used, own]) await folder.remove();
  expect([used.path, own.path].map(existsSync)).toEqual([false, false]);
});
