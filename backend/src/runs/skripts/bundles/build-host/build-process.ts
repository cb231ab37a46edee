import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { problem } from '@trawl/bundler/problems';
import type { BuildUser, BundleRequest, BundleResult } from './bundle-build.js';

const CHILD = fileURLToPath(new URL('../bundle-child.js', import.meta.url));
const HEAP_MB = 256;
/**
 * Memory limit (`ulimit -d`, in KiB), one for Node and one for esbuild. Without it, hostile code with deep nesting
 * would make esbuild allocate gigabytes.
 */
const DATA_LIMIT_KB = 1024 * 1024;
/** Highest size of a build's output. The bundle of the largest allowed skript, with its source map, is much smaller. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** How long a process waits for the next build. Builds follow each other while somebody edits a skript. */
const SPARE_MS = 5 * 60_000;
/** Two, because an account has one build at the same time: another account's build then finds a process that is ready. */
const MAX_SPARES = 2;

const running = new Set<ChildProcess>();
/**
 * Processes that wait for their first and only build, the oldest first. Starting Node and loading packages takes three
 * quarters of the time of a small build.
 */
const spares: Spare[] = [];

interface Spare {
  child: ChildProcess;
  user: BuildUser;
  timer: NodeJS.Timeout;
}

/** Runs a build in a process with time and memory limits. Returns null if the process died. */
export async function buildInProcess(request: BundleRequest, user: BuildUser): Promise<BundleResult | null> {
  const child = takeSpare(request, user) ?? start(user);
  setPriority(child, request.nice);
  running.add(child);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    kill(child);
  }, request.timeLimitMs);
  try {
    const answer = await converse(child, `${JSON.stringify(request)}\n`);
    if (timedOut)
      return { problems: [problem(`The build exceeded its time limit of ${request.timeLimitMs / 1000} s.`)] };
    return parseAnswer(answer);
  } finally {
    clearTimeout(timer);
    kill(child);
    running.delete(child);
    prepareSpares(user);
  }
}

export function killBuilds(): void {
  for (const child of running) kill(child);
  for (const spare of [...spares]) end(spare);
}

function prepareSpares(user: BuildUser): void {
  while (spares.length < MAX_SPARES) {
    const child = start(user);
    const spare: Spare = { child, user, timer: setTimeout(() => end(spare), SPARE_MS) };
    const forget = () => end(spare);
    child.once('error', forget).once('exit', forget);
    spares.push(spare);
  }
}

/** Takes the process that has waited longest. A large build takes the newest, which may still be starting. */
function takeSpare({ nice }: BundleRequest, user: BuildUser): ChildProcess | undefined {
  const isFitting = (spare: Spare) => spare.user.uid === user.uid;
  const spare = nice > 0 ? spares.findLast(isFitting) : spares.find(isFitting);
  if (spare) forgetSpare(spare);
  return spare?.child;
}

function forgetSpare(spare: Spare): boolean {
  const index = spares.indexOf(spare);
  if (index === -1) return false;
  clearTimeout(spare.timer);
  spares.splice(index, 1);
  return true;
}

/** Ends a process that still waits. */
function end(spare: Spare): void {
  if (forgetSpare(spare)) kill(spare.child);
}

/** Starts the child as leader of a process group, so that `kill` ends esbuild's process, too. */
function start(user: BuildUser): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, CHILD];
  const options = { ...user, env: {}, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'ignore'] } as const;
  if (process.platform !== 'linux')
    return spawn(process.execPath, node.slice(1), { ...options, stdio: [...options.stdio] });
  const script = `ulimit -d ${DATA_LIMIT_KB}; exec "$@"`;
  return spawn('/bin/sh', ['-c', script, 'sh', ...node], { ...options, stdio: [...options.stdio] });
}

/**
 * Sets the priority of a build's process and of the kernel's group of its session, because the kernel compares `nice` only
 * within such a group.
 */
function setPriority({ pid }: ChildProcess, nice: number): void {
  if (pid === undefined || nice === 0) return;
  try {
    os.setPriority(pid, nice);
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // Without root, the kernel refuses a higher priority. Some systems have no such groups. Builds work without them.
  }
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH means that the process group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function converse(child: ChildProcess, request: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks)));
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) kill(child);
      else chunks.push(chunk);
    });
    // Ignore write errors: if the child has ended early, the `close` handler resolves the promise.
    child.stdin?.on('error', () => {});
    child.stdin?.end(request);
  });
}

function parseAnswer(answer: Buffer): BundleResult | null {
  try {
    return JSON.parse(answer.toString()) as BundleResult;
  } catch {
    // The output is incomplete, so the process died.
    return null;
  }
}
