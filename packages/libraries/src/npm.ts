import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PipeLines } from '@trawl/contracts/pipe-lines';
import type { Declarations } from './declarations/collect-declarations.js';
import { checkedLock, type Lock } from './lock.js';
import type { NpmFailure } from './npm-failure.js';
import type { NpmAnswer, NpmRequest } from './npm-process.js';
import type { WriteLimits, Written } from './written-files.js';

/**
 * Path of the compiled program. It is in `dist` even if a test loads this file from `src`, because Node cannot run the
 * source.
 */
const NPM_PROCESS = fileURLToPath(new URL('../dist/npm-process.js', import.meta.url));

const HEAP_MB = 768;
/** Memory that npm can allocate (`ulimit -d`, in KiB): the heap, and the buffers and threads of Node. */
const DATA_LIMIT_KB = (HEAP_MB + 768) * 1024;
/** Processor time of one call (`ulimit -t`, in seconds). To unpack 50,000 files takes about 20 s. */
const CPU_LIMIT_S = 240;
/** The unit of `ulimit -f`. */
const ULIMIT_BLOCK_BYTES = 512;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** A line with a number of packages. No resolution has a million of them. */
const FOUND = /^\d{1,6}$/;
/** Id of the unprivileged user `nobody`. npm runs as this user, which owns the folders while npm uses them. */
const NOBODY = 65_534;
/** npm gets only these environment variables: the network settings of the machine. */
const INHERITED_VARIABLES = /^(?:https?_proxy|no_proxy|proxy|node_extra_ca_certs)$/i;

/** Resolving writes no library to the disk, only lists of their versions. */
const RESOLVING: WriteLimits = { bytes: 512 * 1024 * 1024, entries: 20_000 };

/** After this time npm counts as slow if it only waits for the registry. */
export const SLOW_MS = 30_000;

/** Thrown if npm failed. `failure` has the reason. */
export class NpmError extends Error {
  readonly failure: NpmFailure;

  constructor(failure: NpmFailure) {
    super(failure.text);
    this.failure = failure;
  }
}

export interface NpmOptions {
  /** An empty folder that only this call uses. */
  folder: string;
  /** npm's cache folder. Several calls can use it at the same time. */
  cache: string;
  /** See `npmRegistry`. */
  registry: string | null;
  /** Version of the Node that loads the libraries, such as `24.21.0`. npm prefers packages whose `engines` allow it. */
  node: string;
  timeLimitMs: number;
  /** What npm may write to the disk. By default, as much as `RESOLVING` allows. */
  limits?: WriteLimits;
  signal?: AbortSignal;
  /** Is called once if npm takes longer than `slowMs` and only waits for the registry, so that others can start. */
  onSlow?: () => void;
  slowMs?: number;
  /** Is called while npm resolves, with the number of packages that it has found so far. */
  onFound?: (packages: number) => void;
}

/**
 * Chooses a version of each library and of everything it depends on, and returns these versions as a lock.
 *
 * @param previous a lock whose versions are kept if they still match
 * @throws NpmError, InvalidLockError if a package is not from the registry, or the signal's reason if it was aborted
 */
export async function resolveLibraries(
  wanted: Record<string, string>,
  previous: Lock | null,
  options: NpmOptions,
): Promise<Lock> {
  const { packages } = await runNpm({ task: 'resolve', wanted, packages: previous?.packages ?? null }, options);
  return checkedLock(packages);
}

/**
 * Installs the packages of a lock into `node_modules` of the folder, without running their scripts. Returns what they
 * need on the disk.
 *
 * @throws NpmError, or the signal's reason if it was aborted
 */
export async function installLibraries(lock: Lock, options: NpmOptions): Promise<Written> {
  const wanted = lock.packages[''].dependencies;
  const { written } = await runNpm({ task: 'install', wanted, packages: lock.packages }, options);
  return written;
}

/**
 * Collects the declarations of libraries from their archives, and installs nothing. For a library without declarations
 * it takes those of its package `@types/…`, if the registry has one.
 *
 * @param libraries names of the lock's libraries, the most important one first: not all may fit
 * @param types packages of types that the lock may lack, with their version ranges
 * @throws NpmError, or the signal's reason if it was aborted
 */
export async function collectDeclarations(
  lock: Lock,
  libraries: readonly string[],
  types: Record<string, string>,
  options: NpmOptions,
): Promise<Declarations> {
  const { dependencies } = lock.packages[''];
  const wanted = Object.fromEntries(libraries.map(name => [name, dependencies[name] ?? '*']));
  const { declarations } = await runNpm({ task: 'declare', wanted, packages: lock.packages, types }, options);
  return declarations ?? { files: {}, leftOut: {} };
}

/**
 * Returns the given registry. If there is none, returns the registry from npm's configuration on this machine; null for
 * npm's default.
 */
export async function npmRegistry(given: string | undefined): Promise<string | null> {
  if (given !== undefined) return given;
  const shell = process.platform === 'win32';
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: 20_000, shell });
    return URL.canParse(stdout.trim()) ? stdout.trim() : null;
  } catch {
    // This machine has no npm on the PATH, so there is no configuration.
    return null;
  }
}

type Task = Pick<NpmRequest, 'task' | 'wanted' | 'packages' | 'types'>;

async function runNpm(task: Task, options: NpmOptions): Promise<Exclude<NpmAnswer, { failure: NpmFailure }>> {
  const { folder, cache, registry, node, timeLimitMs, limits = RESOLVING, signal } = options;
  const { slowMs = SLOW_MS, onSlow = () => {}, onFound = () => {} } = options;
  for (const path of [folder, cache]) await giveToNobody(path);
  signal?.throwIfAborted();
  const child = start(limits);
  // Somebody waits for a resolution, and it takes little time.
  if (task.task === 'install') yieldToOthers(child);
  let timedOut = false;
  const abort = () => kill(child);
  const timer = setTimeout(() => {
    timedOut = true;
    abort();
  }, timeLimitMs);
  signal?.addEventListener('abort', abort);
  try {
    const request: NpmRequest = { ...task, folder, cache, registry, node, limits, slowMs };
    const { text, endedBy } = await exchange(child, `${JSON.stringify(request)}\n`, { onSlow, onFound });
    signal?.throwIfAborted();
    if (timedOut) throw new NpmError(ownFailure('time_limit', `npm took longer than ${timeLimitMs / 1_000} s.`));
    if (endedBy === 'SIGXCPU') {
      throw new NpmError(ownFailure('cpu_limit', `npm needed more than ${CPU_LIMIT_S} s of processor time.`));
    }
    const answer = parseAnswer(text);
    if ('failure' in answer) throw new NpmError(answer.failure);
    return answer;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    kill(child);
  }
}

/**
 * If this process runs as root, makes `nobody` the owner of the folder. If that fails, npm runs with the rights of this
 * process.
 */
async function giveToNobody(path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY).catch(() => {});
}

function start({ bytes }: WriteLimits): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name)));
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, NPM_PROCESS];
  const limits = `ulimit -d ${DATA_LIMIT_KB}; ulimit -f ${Math.ceil(bytes / ULIMIT_BLOCK_BYTES)}; ulimit -t ${CPU_LIMIT_S}`;
  const [program = '', ...args] =
    process.platform === 'linux' ? ['/bin/sh', '-c', `${limits}; exec "$0" "$@"`, ...node] : node;
  const child = spawn(program, args, {
    env,
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return child;
}

/** Lets every other program of the machine get a processor first. */
function yieldToOthers({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    // The kernel compares priorities only within the group of a session, and the child has a session of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The process has ended, or the system has no such groups.
  }
}

/** Kills the child and everything that it started: they are one process group. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    // The code ESRCH means that the child has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function exchange(
  child: ChildProcess,
  request: string,
  { onSlow, onFound }: Required<Pick<NpmOptions, 'onSlow' | 'onFound'>>,
): Promise<{ text: string; endedBy: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    const stdout = child.stdout as Readable;
    let text = '';
    let bytes = 0;
    child.on('error', reject);
    child.on('close', (_, endedBy) => resolve({ text, endedBy }));
    // Not `readline`: it also splits at U+2028 and U+2029, which the free text of a package may contain.
    const lines = new PipeLines(line => {
      if (line === '') onSlow();
      else if (FOUND.test(line)) onFound(Number(line));
      else text = line;
    });
    stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) kill(child);
      else lines.push(chunk);
    });
    // Writing fails if the child ended early. Ignore this error, because the `close` event handles that case.
    child.stdin?.on('error', () => {});
    // Do not close the child's input. It is closed when this process ends, and then the child ends, too.
    child.stdin?.write(request);
  });
}

const ownFailure = (code: string, text: string): NpmFailure => ({ code, library: null, text });

function parseAnswer(text: string): NpmAnswer {
  try {
    return JSON.parse(text) as NpmAnswer;
  } catch {
    return {
      failure: ownFailure(
        'ended',
        'npm ended before it finished. These libraries may need more memory than the limit.',
      ),
    };
  }
}
