/**
 * The worker's spawner: a small process beside it that starts the processes of runs, because starting one stops the whole
 * process that does it for longer the more memory it has. It has the limits and the priority that all runs inherit. Their
 * pipes go to the worker, which also ends them. When the worker is gone, it ends what is left and removes the worker's
 * control groups; when it is killed itself, all runs end with it, because bubblewrap does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { endGroups, NotOutOfGroup, startInside } from './cgroup-files.js';
import { BLOCK_FD, type FromSpawner, INFO_FD, PIPES, type ToSpawner } from './spawner-messages.js';

const MAX_TEXT = 2_000;
/** Longer than anything takes to end that was killed. */
const LAST_END_MS = 20_000;

type Start = Extract<ToSpawner, { t: 'start' }>;

interface Started {
  child: ChildProcess;
  /** Of the first process in the sandbox; null while there is none. */
  inner: number | null;
}

const processes = new Map<number, Started>();
const waiting = new Map<number, () => void>();
let groups: string[] = [];

// Whoever ends everything here tells the worker too, whose runs are then still to be ended in order.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToSpawner) => {
  if (message.t === 'groups') groups = message.folders;
  else if (message.t === 'go') waiting.get(message.n)?.();
  else if (message.t === 'drop') drop(message.n);
  else
    start(message).catch((error: Error) => say({ t: 'failed', n: message.n, text: error.message.slice(0, MAX_TEXT) }));
});
// It is the worker's for as long as that lives. The end of the channel does not do: Node does not tell it while the worker
// has yet to take what is being handed to it.
process.stdin.once('close', () => void endAll()).resume();

const say = (message: FromSpawner, handle?: Socket): void => {
  // What the worker does not get, because it is gone, is over with it.
  if (process.connected) process.send?.(message, handle, {}, () => {});
};

async function start({ n, program, args, uid, argumentsFile, filterFile, entrance }: Start): Promise<void> {
  const files = [argumentsFile, filterFile].map(file => openSync(file, 'r'));
  let child: ChildProcess;
  try {
    child = startInside(entrance, () => spawnFirstToGo(program, args, uid, files));
  } catch (error) {
    if (!(error instanceof NotOutOfGroup)) throw error;
    process.stderr.write(`${error.message}\n`);
    // All that was started ends with this process, and the worker starts another, from where it is itself by now.
    process.exit(1);
  } finally {
    for (const file of files) closeSync(file);
  }
  const started: Started = { child, inner: null };
  processes.set(n, started);
  // What ends before it has begun breaks its pipes; that is told by its end.
  for (const stream of child.stdio) stream?.on('error', () => {});
  const ended = once(child, 'exit').finally(() => processes.delete(n));
  await Promise.race([once(child, 'spawn'), ended]);
  const complaint = textOf(pipe(child, 2));
  const told = new Promise<string>(resolve => {
    let text = '';
    pipe(child, INFO_FD).on('data', bytes => {
      text += bytes;
      if (text.includes('}')) resolve(text);
    });
  });
  const first = await Promise.race([told, ended.then(() => null)]);
  if (first === null) throw new Error(complaint() || 'It ended before it had begun.');
  const pid = Number(JSON.parse(first)['child-pid']);
  started.inner = pid;
  // Once they have gone nothing more is read here, so nothing that the run says is lost.
  const taken = new Promise<void>(resolve => waiting.set(n, resolve));
  for (const fd of PIPES) say({ t: 'pipe', n, fd }, pipe(child, fd));
  say({ t: 'piped', n });
  try {
    if (entrance?.by === 'pid') writeFileSync(entrance.file, String(pid));
  } catch (error) {
    // It would wait for its start without end.
    waiting.delete(n);
    drop(n);
    throw error;
  }
  await Promise.race([taken, ended]);
  waiting.delete(n);
  pipe(child, BLOCK_FD).end('\n');
  say({ t: 'started', n, outer: child.pid as number, inner: pid });
  const [code, signal] = await ended;
  say({ t: 'ended', n, code, signal });
}

/** Ends it, as far as it has come. */
function drop(n: number): void {
  const started = processes.get(n);
  if (started) end(started);
}

function end({ child, inner }: Started): void {
  try {
    // The first one in the sandbox takes all others along, and its parent lives on to see that it is gone. Where there is
    // none yet, what has been begun would wait for its parent without end.
    process.kill(inner ?? -(child.pid as number), 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** With the mark that makes the kernel end it before anything else when the whole machine is out of memory. */
function spawnFirstToGo(program: string, args: string[], uid: number | null, files: number[]): ChildProcess {
  const marked = scored(1_000);
  try {
    return spawn(program, args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...files, 'pipe', 'pipe'],
      detached: true,
      ...(uid === null ? {} : { uid, gid: uid }),
    });
  } finally {
    if (marked) scored(0);
  }
}

/** Only root may take its mark back, so nobody else begins. */
function scored(score: number): boolean {
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

async function endAll(): Promise<void> {
  setTimeout(() => process.exit(), LAST_END_MS).unref();
  const ends = [...processes.values()].map(async started => {
    const ended = once(started.child, 'exit');
    end(started);
    await ended;
  });
  await Promise.all([endGroups(groups), Promise.allSettled(ends)]);
  process.exit();
}
