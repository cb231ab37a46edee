import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Plugin } from '@docusaurus/types';

export const REPOSITORY = resolve(__dirname, '../../../..');
const ARCHIVE = 'source.tar.gz';
/** Folder in the archive. */
const FOLDER = 'trawl';
/** The output of `git ls-tree -rz HEAD`, for builds without git: in containers, and from an unpacked archive. */
const LIST = '.source-files';
const MAX_OUTPUT = 10_000_000;
/** Compression level. The default makes the archive 13 % smaller in twice the time. */
const FASTEST = '-1';

/** Writes the source code of this installation as /source.tar.gz, so that others can install it without a repository. */
export function sourceArchive(): Plugin {
  return {
    name: 'source-archive',
    async postBuild({ outDir }) {
      const problem = missingSource(REPOSITORY);
      if (problem) console.warn(`The website offers no /${ARCHIVE}: ${problem}`);
      else writeArchive(REPOSITORY, join(outDir, ARCHIVE));
    },
  };
}

/**
 * Returns why a folder gives no archive, or undefined if it gives one. Everybody can download the archive, and operators
 * keep secrets beside the code and in changed files. So it has the files of a commit, with the content of the commit.
 */
export function missingSource(folder: string): string | undefined {
  let files: TrackedFile[];
  try {
    files = parse(listFiles(folder));
  } catch (error) {
    return (error as Error).message;
  }
  if (!files.length) return `${folder} has neither git nor a list ${LIST}, written by \`git ls-tree -rz HEAD\`.`;
  if (hasGit(folder)) return undefined;
  const changed = files.find(file => !isUnchanged(folder, file));
  return changed && `${changed.name} differs from its commit in ${LIST}, so it may have secrets.`;
}

/** Writes the files of a commit. Without git, call `missingSource` first, which compares the files with the commit. */
export function writeArchive(folder: string, archive: string): void {
  const list = listFiles(folder);
  if (hasGit(folder)) writeCommit(folder, list, archive);
  else writeFiles(folder, list, archive);
}

function writeCommit(folder: string, list: string, archive: string): void {
  const temporary = mkdtempSync(join(tmpdir(), 'trawl-source-'));
  try {
    writeFileSync(join(temporary, LIST), list);
    // Readable by everybody, writable by its owner, whatever the settings of git are.
    const options = ['-c', 'tar.umask=0022', 'archive', '--format=tar.gz', FASTEST, '--output', archive];
    execFileSync('git', [...options, `--prefix=${FOLDER}/`, `--add-file=${join(temporary, LIST)}`, 'HEAD'], {
      cwd: folder,
    });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function writeFiles(folder: string, list: string, archive: string): void {
  const names = [...parse(list).map(({ name }) => name), LIST];
  execFileSync(
    'tar',
    [
      ...['--create', `--use-compress-program=gzip ${FASTEST}`, '--file', archive, '--directory', folder],
      ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--transform', `s,^,${FOLDER}/,S`],
      ...['--no-recursion', '--null', '--verbatim-files-from', '--files-from=-'],
    ],
    { input: names.map(name => `${name}\0`).join('') },
  );
}

const hasGit = (folder: string): boolean => existsSync(join(folder, '.git'));

function listFiles(folder: string): string {
  if (hasGit(folder)) {
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: MAX_OUTPUT, stdio: 'pipe' } as const;
    return execFileSync('git', ['ls-tree', '-rz', 'HEAD'], options);
  }
  const list = join(folder, LIST);
  return existsSync(list) ? readFileSync(list, 'utf8') : '';
}

interface TrackedFile {
  name: string;
  isLink: boolean;
  hash: string;
}

/** Parses lines such as `100644 blob 6024b745…<tab>README.md`, separated by NUL. */
function parse(list: string): TrackedFile[] {
  return [...list.matchAll(/(\d+) \w+ ([0-9a-f]+)\t([^\0]+)\0/g)].map(([, mode, hash = '', name = '']) => ({
    name,
    isLink: mode === '120000',
    hash,
  }));
}

/** Compares a file with the hash that git gives its content. The content of a link is its target. */
function isUnchanged(folder: string, { name, isLink, hash }: TrackedFile): boolean {
  const path = join(folder, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink() !== isLink || !(isLink || stats.isFile())) return false;
  const content = isLink ? readlinkSync(path, { encoding: 'buffer' }) : readFileSync(path);
  const algorithm = hash.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex') === hash;
}
