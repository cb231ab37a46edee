import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeArchive } from './source-archive';

const FILES = {
  '.gitignore': 'node_modules/\n.env\n',
  'package.json': '{}',
  'docs/page one.md': 'text',
  'docs/node_modules/x/index.js': 'ignored',
  '.env': 'SECRET=1',
  'gone.md': 'deleted later',
};

let folder: string;
let archive: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-archive-'));
  archive = join(folder, '..', `${folder.split('/').at(-1)}.tar.gz`);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(archive, { force: true });
});

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
const contents = () => execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');

test('the archive of the source code has the tracked files of a checkout, in the folder trawl', async () => {
  git('init', '-q');
  git('add', '.');
  rmSync(join(folder, 'gone.md'));
  writeFileSync(join(folder, 'untracked.txt'), 'private notes');
  await writeArchive(folder, archive);
  expect(contents()).toEqual(['trawl/.gitignore', 'trawl/docs/page one.md', 'trawl/package.json']);
});

test('without git, the archive has all files except those that .gitignore excludes', async () => {
  await writeArchive(folder, archive);
  expect(contents().sort()).toEqual([
    'trawl/.gitignore',
    'trawl/docs/page one.md',
    'trawl/gone.md',
    'trawl/package.json',
  ]);
});

test('an unpacked archive makes the same archive again', async () => {
  git('init', '-q');
  git('add', '.');
  await writeArchive(folder, archive);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
  const again = join(folder, 'again.tar.gz');
  await writeArchive(join(unpacked, 'trawl'), again);
  expect(readFileSync(again).equals(readFileSync(archive))).toBe(true);
});
