import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkedLock, type Lock } from './lock.js';
import type { NpmAnswer, NpmRequest } from './npm-child.js';
import type { NpmFailure } from './npm-failure.js';

/** Always the built file: Node cannot run the source, from which tests load this one. */
const CHILD = fileURLToPath(new URL('../dist/npm-child.js', import.meta.url));

const HEAP_MB = 768;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** The user without rights, whose the folders are while npm is at work as that user. */
const NOBODY = 65_534;
/** How the machine reaches the network is the operator's to say; nothing else of the environment is passed on. */
const PASSED_ON = /^(?:https?_proxy|no_proxy|proxy|node_extra_ca_certs)$/i;

/** npm could not do it. */
export class NpmFailed extends Error {
  readonly failure: NpmFailure;

  constructor(failure: NpmFailure) {
    super(failure.text);
    this.failure = failure;
  }
}

export interface NpmOptions {
  /** Empty, and of nobody else's use. */
  folder: string;
  /** What npm keeps between calls; may be used by several at a time. */
  cache: string;
  /** See `npmRegistry`. */
  registry: string | null;
  timeLimitMs: number;
  signal?: AbortSignal;
}

/**
 * The lock of these libraries, by their ranges.
 *
 * @param previous where it stays as it is as far as it fits.
 * @throws NpmFailed; LockRefused when not all is from the registry; the signal's reason.
 */
export async function resolveLibraries(
  wanted: Record<string, string>,
  previous: Lock | null,
  options: NpmOptions,
): Promise<Lock> {
  const packages = await ask({ task: 'resolve', wanted, packages: previous?.packages ?? null }, options);
  return checkedLock(packages);
}

/**
 * Puts what a lock names into `node_modules` of the folder. No script of a library is run.
 *
 * @throws NpmFailed; the signal's reason.
 */
export async function installLibraries(lock: Lock, options: NpmOptions): Promise<void> {
  const wanted = lock.packages[''].dependencies;
  await ask({ task: 'install', wanted, packages: lock.packages }, options);
}

/** The registry that npm is set up with on this machine, unless one is given; null: npm's own default. */
export async function npmRegistry(given: string | undefined): Promise<string | null> {
  if (given !== undefined) return given;
  const shell = process.platform === 'win32';
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: 20_000, shell });
    return URL.canParse(stdout.trim()) ? stdout.trim() : null;
  } catch {
    // No npm on the path: then nobody has set it up otherwise.
    return null;
  }
}

type Task = Pick<NpmRequest, 'task' | 'wanted' | 'packages'>;

async function ask(task: Task, options: NpmOptions): Promise<Record<string, unknown>> {
  const { folder, cache, registry, timeLimitMs, signal } = options;
  signal?.throwIfAborted();
  for (const path of [folder, cache]) await giveToNobody(path);
  const child = start();
  let timedOut = false;
  const end = () => kill(child);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeLimitMs);
  signal?.addEventListener('abort', end);
  try {
    const request: NpmRequest = { ...task, folder, cache, registry };
    const text = await converse(child, `${JSON.stringify(request)}\n`);
    signal?.throwIfAborted();
    if (timedOut) throw new NpmFailed(ended('time_limit', `npm took longer than ${timeLimitMs / 1_000} s.`));
    const answer = parseAnswer(text);
    if ('failure' in answer) throw new NpmFailed(answer.failure);
    return answer.packages;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    kill(child);
  }
}

/** Where that is not for the worker to do, npm runs with the rights that this process has. */
async function giveToNobody(path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY).catch(() => {});
}

function start(): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));
  return spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, CHILD], {
    env,
    cwd: '/',
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** It leads a process group; whatever it may have started ends with it. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function converse(child: ChildProcess, request: string): Promise<string> {
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
    // A child that ended early has closed its input; how it ended is told by `close`.
    child.stdin?.on('error', () => {});
    // Left open: the child ends when this process does.
    child.stdin?.write(request);
  });
}

const ended = (code: string, text: string): NpmFailure => ({ code, library: null, text });

function parseAnswer(text: string): NpmAnswer {
  try {
    return JSON.parse(text) as NpmAnswer;
  } catch {
    return {
      failure: ended('ended', 'npm ended before it was done: these libraries may need more memory than it may have.'),
    };
  }
}
