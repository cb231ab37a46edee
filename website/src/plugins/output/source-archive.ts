import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Plugin } from '@docusaurus/types';
import ignore from 'ignore';

const REPOSITORY = resolve(__dirname, '../../../..');
export const ARCHIVE = 'source.tar.gz';
/** Folder in the archive. */
const FOLDER = 'trawl';

/** Writes the source code of this installation as /source.tar.gz, so that others can install it without a repository. */
export function sourceArchive(): Plugin {
  return {
    name: 'source-archive',
    postBuild: ({ outDir }) => writeArchive(REPOSITORY, join(outDir, ARCHIVE)),
  };
}

/** Writes the tracked files of a repository; without git, those that .gitignore does not exclude. */
export async function writeArchive(folder: string, archive: string): Promise<void> {
  const names = existsSync(join(folder, '.git')) ? await trackedFiles(folder) : keptFiles(folder);
  // The same files make the same archive.
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const tar = execFile('tar', [
    ...['--create', '--gzip', '--file', archive, '--directory', folder, ...options],
    ...['--transform', `s,^,${FOLDER}/,S`, '--no-recursion', '--null', '--verbatim-files-from', '--files-from=-'],
  ]);
  const done = new Promise<void>((resolveDone, reject) => {
    tar.on('error', reject);
    tar.on('exit', code => (code === 0 ? resolveDone() : reject(new Error(`tar ended with exit code ${code}.`))));
  });
  tar.stdin?.end(names.map(name => `${name}\0`).join(''));
  await done;
}

async function trackedFiles(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: folder, maxBuffer: 10_000_000 });
  // A file may be deleted in the checkout and not in git.
  return stdout.split('\0').filter(name => name && existsSync(join(folder, name)));
}

function keptFiles(folder: string): string[] {
  const rules = ignore().add(readFileSync(join(folder, '.gitignore'), 'utf8'));
  const walk = (below: string): string[] =>
    readdirSync(below, { withFileTypes: true }).flatMap(entry => {
      const name = relative(folder, join(below, entry.name));
      if (rules.ignores(entry.isDirectory() ? `${name}/` : name)) return [];
      return entry.isDirectory() ? walk(join(below, entry.name)) : [name];
    });
  return walk(folder);
}
