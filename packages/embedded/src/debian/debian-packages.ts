import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a program of apt, such as `apt-cache`, and returns its output. */
export type Apt = (program: string, ...args: string[]) => Promise<string>;

export interface DebianPackages {
  /** Absolute path of the folder that gets the files of the packages. */
  folder: string;
  /** Names of the packages, or a function that finds the names in apt's lists. */
  packages: readonly string[] | ((apt: Apt) => Promise<readonly string[]>);
  /** One line of a sources.list, instead of the sources of this machine. */
  source?: string;
  /** Whether to download the package lists first, because those of this machine may not have the newest packages. */
  newest?: boolean;
  /** Timeout for each command. By default there is none. */
  timeoutMs?: number;
}

/**
 * Downloads Debian packages with apt, which checks their signatures and hashes, and unpacks them into `folder`. It
 * needs no root rights and installs nothing. The folder gets its name only when it is complete. If another process has
 * created the folder by then, that folder is kept.
 *
 * @throws Error with the last lines that apt or dpkg printed
 */
export async function fetchDebianPackages(wanted: DebianPackages): Promise<void> {
  const { folder, timeoutMs } = wanted;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  const work = mkdtempSync(`${folder}.`);
  const command = (program: string, args: string[]) => commandIn(work, program, args, timeoutMs);
  try {
    await download(work, command, wanted);
    const archives = readdirSync(work).filter(name => name.endsWith('.deb'));
    if (archives.length === 0) throw new Error('apt-get download left no package');
    for (const archive of archives) await command('dpkg', ['-x', archive, 'root']);
    chmodSync(join(work, 'root'), 0o755);
    renameSync(join(work, 'root'), folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

type Command = (program: string, args: string[]) => Promise<string>;

async function download(
  work: string,
  command: Command,
  { packages, source, newest = false }: DebianPackages,
): Promise<void> {
  const downloadWith = async (options: string[]) => {
    const apt: Apt = (program, ...args) => command(program, [...options, '-qq', ...args]);
    const names = typeof packages === 'function' ? await packages(apt) : packages;
    await apt('apt-get', 'download', ...names);
  };
  // If root runs apt, it downloads as another user, who cannot enter this folder. This option turns that off.
  const sandbox = ['-o', 'APT::Sandbox::User='];
  if (source === undefined && !newest) {
    try {
      await downloadWith(sandbox);
      return;
    } catch {
      // The package lists of this machine are outdated or missing, as in many container images. The code below
      // downloads new lists to `work`.
    }
  }
  const options = [...sandbox, ...ownLists(work), ...(source === undefined ? [] : ownSource(work, source))];
  await command('apt-get', [...options, '-qq', 'update']);
  await downloadWith(options);
}

function ownLists(work: string): string[] {
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(work, folder), { recursive: true });
  return [
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    'Acquire::Retries=2',
  ].flatMap(option => ['-o', option]);
}

function ownSource(work: string, source: string): string[] {
  const file = join(work, 'sources.list');
  writeFileSync(file, `${source}\n`);
  return ['-o', `Dir::Etc::sourcelist=${file}`, '-o', 'Dir::Etc::sourceparts=-'];
}

async function commandIn(cwd: string, program: string, args: string[], timeoutMs = 0): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  try {
    const { stdout } = await run(program, args, { cwd, env, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error((stderr?.trim() || message).split('\n').slice(-2).join(' '));
  }
}
