import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { missingSource, writeArchive } from './source-archive';

const FILES = {
  '.env.example': 'SMTP_URL=\n',
  '.gitignore': 'node_modules/\n.env\n',
  'docs/page one.md': 'text',
  'package.json': '{}',
};
const CONTENTS = ['.env.example', '.gitignore', '.source-files', 'docs/link.md', 'docs/page one.md', 'package.json'];

let folder: string;
let archive: string;
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'trawl-archive-'));
  folder = join(parent, 'checkout');
  archive = join(parent, 'source.tar.gz');
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  symlinkSync('page one.md', join(folder, 'docs/link.md'));
});
afterEach(() => rmSync(dirname(folder), { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: folder });

function commit(): void {
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
}

/** Writes files that hold secrets, as operators keep them beside the code. */
function addSecrets(): void {
  for (const name of ['docker-compose.override.yml', '.env', '.env.production', 'deploy/tls.pem', 'backup.zip']) {
    write(name, 'a secret');
  }
}

function contents(): string[] {
  const names = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
  const files = names.filter(name => !name.endsWith('/'));
  return files.map(name => name.replace(/^trawl\//, '')).sort();
}

const read = (name: string) => execFileSync('tar', ['-xzOf', archive, `trawl/${name}`], { encoding: 'utf8' });

/** Makes the folder what a Docker build sees: the files and the list, without git. */
function removeGit(): void {
  writeFileSync(join(folder, '.source-files'), git('ls-tree', '-rz', 'HEAD'));
  rmSync(join(folder, '.git'), { recursive: true });
}

test('the archive has the files of the commit, and no others', () => {
  commit();
  addSecrets();
  git('add', '--force', '.env.production');
  writeArchive(folder, archive);
  expect(contents()).toEqual(CONTENTS);
});

test('the archive has the content of the commit, not that of changed, replaced or deleted files', () => {
  commit();
  addSecrets();
  write('.env.example', 'SMTP_URL=smtp://user:a-secret@mail.example.com\n');
  rmSync(join(folder, 'docs/page one.md'));
  rmSync(join(folder, 'package.json'));
  symlinkSync('.env', join(folder, 'package.json'));
  writeArchive(folder, archive);
  expect(contents()).toEqual(CONTENTS);
  expect(['.env.example', 'docs/page one.md', 'package.json'].map(read)).toEqual(['SMTP_URL=\n', 'text', '{}']);
});

test('without git, the archive has the files of the list, and no others', () => {
  commit();
  removeGit();
  addSecrets();
  expect(missingSource(folder)).toBeUndefined();
  writeArchive(folder, archive);
  expect(contents()).toEqual(CONTENTS);
});

test('an unpacked archive makes an archive with the same files again', () => {
  commit();
  writeArchive(folder, archive);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
  expect(missingSource(join(unpacked, 'trawl'))).toBeUndefined();
  const [first, list] = [contents(), read('.source-files')];
  writeArchive(join(unpacked, 'trawl'), archive);
  expect(contents()).toEqual(first);
  expect([...Object.keys(FILES), '.source-files'].map(read)).toEqual([...Object.values(FILES), list]);
});

test('without git and without a list, there is no archive', () => {
  expect(missingSource(folder)).toMatch(/neither git nor a list \.source-files/);
  write('.source-files', '');
  expect(missingSource(folder)).toMatch(/neither git nor a list \.source-files/);
});

test('in a repository without a commit, there is no archive', () => {
  git('init', '-q');
  expect(missingSource(folder)).toMatch(/git ls-tree/);
});

test.each([
  ['changed', () => appendFileSync(join(folder, '.env.example'), 'SMTP_URL=smtp://user:a-secret@mail.example.com\n')],
  ['deleted', () => rmSync(join(folder, '.env.example'))],
  [
    'replaced by a link',
    () => {
      rmSync(join(folder, '.env.example'));
      symlinkSync('.env', join(folder, '.env.example'));
    },
  ],
])('without git, there is no archive if a file was %s', (_, change) => {
  commit();
  removeGit();
  addSecrets();
  change();
  expect(missingSource(folder)).toMatch(/^\.env\.example differs from its commit/);
});
