import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkedLock, type Lock } from './lock.js';
import type { NpmFailure } from './npm-failure.js';
import type { NpmAnswer, NpmRequest } from './npm-process.js';

/**
 * Path of the compiled program. It is in `dist` even if a test loads this file from `src`, because Node cannot run the
 * source.
 */
const NPM_PROCESS = fileURLToPath(new URL('../dist/npm-process.js', import.meta.url));

const HEAP_MB = 768;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** Id of the unprivileged user `nobody`. npm runs as this user, which owns the folders while npm uses them. */
const NOBODY = 65_534;
/** npm gets only these environment variables: the network settings of the machine. */
const INHERITED_VARIABLES = /^(?:https?_proxy|no_proxy|proxy|node_extra_ca_certs)$/i;

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
  timeLimitMs: number;
  signal?: AbortSignal;
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
  const packages = await runNpm({ task: 'resolve', wanted, packages: previous?.packages ?? null }, options);
  return checkedLock(packages);
}

/**
 * Installs the packages of a lock into `node_modules` of the folder, without running their scripts.
 *
 * @throws NpmError, or the signal's reason if it was aborted
 */
export async function installLibraries(lock: Lock, options: NpmOptions): Promise<void> {
  const wanted = lock.packages[''].dependencies;
  await runNpm({ task: 'install', wanted, packages: lock.packages }, options);
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

type Task = Pick<NpmRequest, 'task' | 'wanted' | 'packages'>;

async function runNpm(task: Task, options: NpmOptions): Promise<Record<string, unknown>> {
  const { folder, cache, registry, timeLimitMs, signal } = options;
  signal?.throwIfAborted();
  for (const path of [folder, cache]) await giveToNobody(path);
  const child = start();
  let timedOut = false;
  const abort = () => kill(child);
  const timer = setTimeout(() => {
    timedOut = true;
    abort();
  }, timeLimitMs);
  signal?.addEventListener('abort', abort);
  try {
    const request: NpmRequest = { ...task, folder, cache, registry };
    const text = await exchange(child, `${JSON.stringify(request)}\n`);
    signal?.throwIfAborted();
    if (timedOut) throw new NpmError(ownFailure('time_limit', `npm took longer than ${timeLimitMs / 1_000} s.`));
    const answer = parseAnswer(text);
    if ('failure' in answer) throw new NpmError(answer.failure);
    return answer.packages;
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

function start(): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name)));
  return spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, NPM_PROCESS], {
    env,
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
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

function exchange(child: ChildProcess, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) kill(child);
      else chunks.push(chunk);
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
