import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COMMAND_MS = 180_000;
const COMMAND_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Where the HTML is, or why there is none. */
export type PythonDocs = { folder: string } | { folder: null; reason: string };

async function command(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const { stdout } = await run(program, args, { cwd, env, timeout: COMMAND_MS, maxBuffer: COMMAND_OUTPUT_BYTES });
  return stdout;
}

/** `usr/share/doc/<name>/html` in an unpacked package, under the one name that is no symbolic link; undefined without one. */
async function htmlFolder(unpacked: string): Promise<string | undefined> {
  const docs = join(unpacked, 'usr/share/doc');
  for (const name of await readdir(docs)) {
    const inside = await readdir(join(docs, name), { withFileTypes: true });
    if (inside.some(entry => entry.name === 'html' && entry.isDirectory())) return join(docs, name, 'html');
  }
  return undefined;
}

/** Works below `work` with package lists of its own: needs neither root nor lists that are up to date, and installs nothing. */
async function downloadAndUnpack(work: string): Promise<string> {
  const unpacked = join(work, 'unpacked');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'unpacked']) {
    await mkdir(join(work, folder), { recursive: true });
  }
  const options = [`Dir::State::lists=${work}/lists`, `Dir::Cache=${work}/cache`, 'APT::Sandbox::User='];
  const apt = (tool: string, ...args: string[]): Promise<string> =>
    command(work, tool, ...options.flatMap(option => ['-o', option]), '-qq', ...args);

  await apt('apt-get', 'update');
  // python3-doc holds no pages: it depends on the documentation of whichever Python is this Debian's.
  const description = await apt('apt-cache', 'show', '--no-all-versions', 'python3-doc');
  const name = /^Depends:.*?\b(python3\.\d+-doc)\b/m.exec(description)?.[1];
  if (!name) throw new Error('no package list names it: this is no Debian, or its mirror is out of reach');
  await apt('apt-get', 'download', name);
  const file = (await readdir(work)).find(entry => entry.startsWith(`${name}_`));
  if (!file) throw new Error(`apt-get download left no file of ${name}`);
  await command(work, 'dpkg', '-x', file, unpacked);
  return unpacked;
}

/** Moves a finished folder to its place. Another process may have been faster; its folder is as good. */
async function keep(unpacked: string, kept: string): Promise<void> {
  try {
    await rename(unpacked, kept);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/**
 * Debian's Python documentation as HTML pages, kept in `cacheDir` for the next time. The first time it needs apt and a
 * reachable mirror; without them the answer says so instead of failing.
 */
export async function fetchPythonDocs(cacheDir: string): Promise<PythonDocs> {
  await mkdir(cacheDir, { recursive: true });
  const kept = resolve(cacheDir, 'python-docs');
  if (!(await readdir(cacheDir)).includes('python-docs')) {
    const work = await mkdtemp(resolve(cacheDir, 'python-docs-'));
    try {
      await keep(await downloadAndUnpack(work), kept);
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim() : String(error);
      return { folder: null, reason: `Debian's python3-doc cannot be fetched here: ${reason}` };
    } finally {
      await rm(work, { recursive: true });
    }
  }
  const folder = await htmlFolder(kept);
  if (!folder) return { folder: null, reason: `${kept} has no usr/share/doc/*/html: delete the folder and try again` };
  return { folder };
}
