import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessIdentity } from './process-identity.js';
import { signalUser } from './signal-user.js';

interface ProcessEntry {
  parent: number;
  session: number;
  started: string;
  state: string;
  /** Processor time of the process, and of its children that have ended and that it has waited for. */
  ticks: number;
}

const PROC = '/proc';
/** The kernel's unit of processor time in /proc. */
const MS_PER_TICK = 10;
const STOPPED = 'T';
/**
 * States in which a process counts as stopped: stopped, traced, dead, or waiting in the kernel. A process that waits in
 * the kernel is stopped before it returns to its own code.
 */
const NOT_RUNNING = [STOPPED, 't', 'Z', 'X', 'D'];
/**
 * Number of attempts, which take about a second. Then the worker gives up: the run starts processes faster than the
 * worker can kill them.
 */
const MAX_ROUNDS = 200;
const ROUND_MS = 5;

/** Null when the process does not exist, or the system has no /proc. */
function entryOf(pid: number): ProcessEntry | null {
  const text = contentOf(`${PROC}/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in parentheses, which may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = ''] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  return { state, parent: Number(fields[1]), session: Number(fields[3]), started: fields[19] ?? '', ticks };
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended, or this system has no /proc.
    return null;
  }
}

/** Identifies a process that has just started. */
export function identify(pid: number, uid: number | null): ProcessIdentity {
  return { pid, uid, started: entryOf(pid)?.started ?? null, boot: machineBoot };
}

/** The machine's boot id; null where the system does not show it. */
const machineBoot = contentOf(`${PROC}/sys/kernel/random/boot_id`)?.trim() ?? null;

/**
 * Kills all processes of a run: its process group, its session, and, if the run has its own user id, all processes with
 * that user id. Repeats this until it finds none, because a process may start another one during the search.
 */
export async function killAllOf(identity: ProcessIdentity): Promise<void> {
  if (process.platform === 'win32') return killTree(identity.pid);
  // Find the descendants before anything is killed: a descendant in another session can be found only while its parent
  // is alive.
  const descendants = identity.uid === null ? treeOf(identity) : [];
  signal(-identity.pid);
  for (const { pid } of descendants) signal(pid);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = processesOf(identity);
    if (left.length === 0) return;
    for (const pid of left) signal(pid);
    if (round < 2) continue;
    // The processes may start others faster than this loop finds them. So kill all processes of the user id at once.
    if (identity.uid !== null) await signalUser(identity.uid, 'KILL');
    await delay(ROUND_MS);
  }
}

/**
 * Kills a process and its children on Windows, which has neither process groups nor sessions. The program `taskkill` of
 * Windows finds the children.
 */
async function killTree(pid: number): Promise<void> {
  await new Promise<void>(done => {
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => done());
  });
  // Kill at least the process itself, in case `taskkill` is missing.
  signal(pid);
}

/**
 * Stops all processes of a run. Repeats until all of them are stopped, because a process may fork during the search.
 *
 * @throws Error when the system has no /proc or not all processes can be stopped; no process stays stopped then
 */
export async function freezeAllOf(identity: ProcessIdentity): Promise<void> {
  if (!seesProcesses())
    throw new Error('This system has no /proc, which the worker needs to find the processes of a run.');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (identity.uid !== null && round % 20 === 0) await signalUser(identity.uid, 'STOP');
    const running = treeOf(identity).filter(({ state }) => !NOT_RUNNING.includes(state));
    if (running.length === 0) return;
    for (const { pid } of running) signal(pid, 'SIGSTOP');
    await delay(ROUND_MS);
  }
  await thawAllOf(identity);
  throw new Error('The processes of the run could not all be stopped.');
}

/** Continues all stopped processes of a run. */
export async function thawAllOf(identity: ProcessIdentity): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const stopped = treeOf(identity).filter(({ state }) => state === STOPPED);
    if (stopped.length === 0) return;
    for (const { pid } of stopped) signal(pid, 'SIGCONT');
    await delay(ROUND_MS);
  }
}

/**
 * Returns whether this process is still running. False if another process has its pid now, or if the system does not
 * show the start time of processes.
 */
export function isAlive({ pid, started, boot }: ProcessIdentity): boolean {
  if (started === null || boot !== machineBoot) return false;
  const entry = entryOf(pid);
  return entry?.started === started && entry.state !== 'Z';
}

/** Kills this process. Does nothing if it has ended, even if another process has its pid now. */
export function killOne(identity: ProcessIdentity): void {
  if (isAlive(identity)) signal(identity.pid);
}

/**
 * Adds up what all processes of a run use, according to /proc: memory (their own and the shared memory), threads and
 * processor time.
 *
 * @param all processes of the machine
 */
export function usageOf(
  identity: ProcessIdentity,
  all: RunningProcess[],
): { memoryBytes: number; threads: number; cpuMs: number } {
  const usage = { memoryBytes: 0, threads: 0, cpuMs: 0 };
  for (const { status, ticks } of treeOf(identity, all)) {
    const text = status() ?? '';
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    usage.memoryBytes += (field('RssAnon') + field('RssShmem')) * 1024;
    usage.threads += field('Threads');
    usage.cpuMs += ticks * MS_PER_TICK;
  }
  return usage;
}

/** Whether this system has a /proc: without it, the worker can neither watch nor freeze a run. */
export const seesProcesses = (): boolean => entryOf(process.pid) !== null;

/**
 * Kills the processes that are left of a run of an earlier worker. Does nothing if the machine has been rebooted since
 * then, or if another process has the pid now. If no process has the pid, the session with this id can only be that of
 * the run.
 */
export async function killOrphan(identity: ProcessIdentity): Promise<void> {
  if (identity.started === null || identity.boot !== machineBoot) return;
  const entry = entryOf(identity.pid);
  if (entry !== null && entry.started !== identity.started) return;
  await killAllOf(identity);
  if (identity.uid !== null) await signalUser(identity.uid, 'KILL');
}

/**
 * Kills all processes of a run's user id, so that the next run can use the id. This includes processes that cannot be
 * found in a list, because each of them starts another one and ends before it is listed.
 *
 * @throws Error when a process of the user id is still alive
 */
export async function clearUser(uid: number): Promise<void> {
  let killed = false;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    killed ||= await signalUser(uid, 'KILL');
    if (killed && processesOf({ pid: 0, uid }).length === 0) return;
    if (!killed) for (const pid of allProcesses()) if (realUserIn(statusOf(pid)) === uid) signal(pid);
    await delay(ROUND_MS);
  }
  throw new Error(`Failed to kill all processes of user ${uid}.`);
}

/**
 * Returns the pids of a run's processes. This is synchronous, because reading a hundred processes takes less than a
 * millisecond.
 */
function processesOf({ pid, uid }: Pick<ProcessIdentity, 'pid' | 'uid'>): number[] {
  return allProcesses().filter(candidate => {
    // If the run has its own user id, all its processes have it and cannot change it.
    if (uid !== null && ownerOf(candidate) !== uid) return false;
    const entry = entryOf(candidate);
    return entry !== null && entry.state !== 'Z' && (uid !== null || entry.session === pid);
  });
}

export interface RunningProcess extends ProcessEntry {
  pid: number;
  /**
   * Returns the text of the process's file `status` in /proc, which is read on the first call. Null if the process had
   * already ended.
   */
  status: () => string | null;
}

/** Lists all processes of the machine. */
export function readProcesses(): RunningProcess[] {
  return allProcesses().flatMap((pid): RunningProcess[] => {
    const entry = entryOf(pid);
    if (!entry) return [];
    let text: string | null | undefined;
    const status = () => {
      if (text === undefined) text = statusOf(pid);
      return text;
    };
    return [{ pid, ...entry, status }];
  });
}

/**
 * Finds the run's first process and all processes that it started. If the run has its own user id, these are all
 * processes with that id. Otherwise, these are the processes in its session and their descendants in other sessions.
 */
function treeOf(identity: ProcessIdentity, all = readProcesses()): RunningProcess[] {
  const isFirst = ({ pid, started }: RunningProcess) =>
    pid === identity.pid && (identity.started ?? started) === started;
  if (identity.uid !== null) return all.filter(entry => isFirst(entry) || realUserIn(entry.status()) === identity.uid);
  const tree = new Set(all.filter(entry => isFirst(entry) || entry.session === identity.pid));
  for (let grown = true; grown; ) {
    const pids = new Set([...tree].map(({ pid }) => pid));
    const children = all.filter(entry => !tree.has(entry) && pids.has(entry.parent));
    for (const child of children) tree.add(child);
    grown = children.length > 0;
  }
  return [...tree];
}

function allProcesses(): number[] {
  try {
    return readdirSync(PROC).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function ownerOf(pid: number): number | null {
  try {
    return statSync(`${PROC}/${pid}`).uid;
  } catch {
    // The process has ended.
    return null;
  }
}

const statusOf = (pid: number): string | null => contentOf(`${PROC}/${pid}/status`);

/**
 * Reads the user id from the text of a file `status`. The owner of the file is not reliable: a process can make root
 * the owner of its files in /proc, but it cannot change their content.
 */
function realUserIn(status: string | null): number | null {
  const uid = status?.match(/^Uid:\t(\d+)/m)?.[1];
  return uid === undefined ? null : Number(uid);
}

function signal(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has ended, or the worker may not signal it.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
