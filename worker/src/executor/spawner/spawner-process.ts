/**
 * The worker's spawner: a small process that starts the processes of runs. A fork blocks the whole parent process, and
 * it takes longer the more memory the parent has. So the spawner forks instead of the worker. Runs inherit the
 * spawner's limits and priority. The worker has the pipes of the processes and kills the processes. When the worker has
 * ended, the spawner kills all processes that are left and removes the worker's cgroups. When the spawner is killed,
 * bubblewrap ends all runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants, getPriority, setPriority } from 'node:os';
import { ignoreStopSignals } from '../../process/helper-process.js';
import { LeaveError, removeCgroups, startInCgroup } from '../cgroups/cgroup-files.js';
import { inNamespace, limitResource, mountOnce, RefusedError } from './kernel-calls.js';
import { BLOCK_FD, type FromSpawner, INFO_FD, PIPES, type ToSpawner } from './spawner-messages.js';

const MAX_TEXT = 2_000;
/** The spawner waits at most this long for killed processes to end. Then it exits. */
const EXIT_DEADLINE_MS = 20_000;
/** How much the spawner and all runs give way to the worker. */
const NICE = 5;
const LOWEST_PRIORITY = constants.priority.PRIORITY_LOW;

type Start = Extract<ToSpawner, { t: 'start' }>;

interface Started {
  child: ChildProcess;
  /** Pid of the first process in the sandbox; null until bubblewrap has started it. */
  inner: number | null;
}

const processes = new Map<number, Started>();
/** For each process that waits for the worker's message `go`: a function that ends the wait. */
const waiting = new Map<number, () => void>();
let groups: string[] = [];

ignoreStopSignals();
// Every run inherits these limits. A core file would write all of a run's memory to the disk. If the system pipes core
// files to a program, the kernel ignores the limit unless it is exactly one byte. The other limits keep a run from
// memory that cannot be swapped, and from a priority before that of others.
limitResource('core', 1);
limitResource('openFiles', Number(process.argv[2]));
limitResource('lockedMemory', 65_536);
limitResource('nice', 0);
limitResource('realTimePriority', 0);
const sharedMounts = shareMounts();
setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICE));

const send = (message: FromSpawner, handle?: Socket): void => {
  // Ignore errors of sending: if the worker has ended, the spawner ends too.
  if (process.connected) process.send?.(message, handle, {}, () => {});
};

send({ t: 'mounts', areShared: sharedMounts !== null });
process.on('message', (message: ToSpawner) => {
  if (message.t === 'groups') groups = message.folders;
  else if (message.t === 'go') waiting.get(message.n)?.();
  else if (message.t === 'drop') drop(message.n);
  else
    start(message).catch((error: Error) => send({ t: 'failed', n: message.n, text: error.message.slice(0, MAX_TEXT) }));
});
// Standard input closes when the worker has ended. Do not wait for the end of the IPC channel: Node reports it only
// after every handle that was sent has been received, which is too late.
process.stdin.once('close', () => void killAll()).resume();

/** Makes the mounts of all sandboxes. Returns the namespace that has them; null if the kernel refuses to make it. */
function shareMounts(): string | null {
  try {
    return mountOnce(JSON.parse(String(process.argv[3])));
  } catch (error) {
    // Only root may mount, from Linux 5.12 on, and some containers refuse it to root too.
    if (error instanceof RefusedError) return null;
    throw error;
  }
}

async function start({ n, network, program, args, uid, argumentsFile, filterFile, entry }: Start): Promise<void> {
  const packetsBefore = packetsOf(network);
  const files = [argumentsFile, filterFile].map(file => openSync(file, 'r'));
  let child: ChildProcess;
  try {
    const spawnIt = () => spawnAsOomVictim(program, args, uid, files);
    const inMounts = () => inNamespace('mounts', sharedMounts, spawnIt);
    child = startInCgroup(entry, () => inNamespace('network', network, inMounts));
  } catch (error) {
    if (!(error instanceof LeaveError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // End this process, and with it all processes that it has started. The worker then starts another spawner, which is
    // in the worker's own cgroup and network.
    process.exit(1);
  } finally {
    for (const file of files) closeSync(file);
  }
  const started: Started = { child, inner: null };
  processes.set(n, started);
  // Ignore errors of the pipes: they break when the process ends early, and its `exit` event reports that.
  for (const stream of child.stdio) stream?.on('error', () => {});
  const ended = once(child, 'exit').finally(() => processes.delete(n));
  await Promise.race([once(child, 'spawn'), ended]);
  const stderr = textOf(pipe(child, 2));
  const info = new Promise<string>(resolve => {
    let text = '';
    pipe(child, INFO_FD).on('data', bytes => {
      text += bytes;
      if (text.includes('}')) resolve(text);
    });
  });
  const report = await Promise.race([info, ended.then(() => null)]);
  if (report === null) throw new Error(stderr() || 'The process ended before it began.');
  const pid = Number(JSON.parse(report)['child-pid']);
  started.inner = pid;
  // The process may begin only after the worker has received all pipes, because the spawner does not read the process's
  // output.
  const received = new Promise<void>(resolve => waiting.set(n, resolve));
  for (const fd of PIPES) send({ t: 'pipe', n, fd }, pipe(child, fd));
  send({ t: 'piped', n });
  try {
    if (entry?.by === 'pid') writeFileSync(entry.file, String(pid));
  } catch (error) {
    // Kill the process, because it would wait forever for the permission to begin.
    waiting.delete(n);
    drop(n);
    throw error;
  }
  await Promise.race([received, ended]);
  waiting.delete(n);
  pipe(child, BLOCK_FD).end('\n');
  send({ t: 'started', n, outer: child.pid as number, inner: pid });
  const [code, signal] = await ended;
  send({ t: 'ended', n, code, signal, hasUsedNetwork: packetsOf(network) !== packetsBefore });
}

/** Returns a text that changes with each packet in the network of a slot. Without one, a run has a new network. */
const packetsOf = (network: string | null): string | undefined =>
  network === null
    ? undefined
    : inNamespace(
        'network',
        network,
        () => /^ *eth0:.*$/m.exec(readFileSync('/proc/thread-self/net/dev', 'utf8'))?.[0],
      );

/** Kills a process at any stage of its start. */
function drop(n: number): void {
  const started = processes.get(n);
  if (started) kill(started);
}

function kill({ child, inner }: Started): void {
  try {
    // Kill the sandbox's first process: the kernel then ends the whole sandbox, and bubblewrap ends too. If there is no
    // first process yet, kill bubblewrap's whole process group, because bubblewrap's children would otherwise wait
    // forever.
    process.kill(inner ?? -(child.pid as number), 'SIGKILL');
  } catch {
    // The process is gone already.
  }
}

/** Starts a process. When the whole machine runs out of memory, the kernel kills such processes first. */
function spawnAsOomVictim(program: string, args: string[], uid: number | null, files: number[]): ChildProcess {
  const isScored = setOomScore(1_000);
  try {
    return spawn(program, args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...files, 'pipe', 'pipe'],
      detached: true,
      ...(uid === null ? {} : { uid, gid: uid }),
    });
  } finally {
    if (isScored) setOomScore(0);
  }
}

/**
 * Sets the OOM score of this process, which the child then inherits. Only root may lower the score again afterwards, so
 * the score is changed only as root.
 */
function setOomScore(score: number): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    writeFileSync('/proc/self/oom_score_adj', String(score));
    return true;
  } catch {
    return false;
  }
}

const pipe = (child: ChildProcess, fd: number): Socket => (child.stdio as unknown[])[fd] as Socket;

function textOf(stream: Socket): () => string {
  let text = '';
  stream.on('data', bytes => {
    text = `${text}${bytes}`.slice(0, MAX_TEXT);
  });
  return () => text.trim();
}

async function killAll(): Promise<void> {
  setTimeout(() => process.exit(), EXIT_DEADLINE_MS).unref();
  const ends = [...processes.values()].map(async started => {
    const ended = once(started.child, 'exit');
    kill(started);
    await ended;
  });
  await Promise.all([removeCgroups(groups), Promise.allSettled(ends)]);
  process.exit();
}
