import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { ProcessMark } from './executor.js';
import { signalUser } from './signal-user.js';

interface ProcessEntry {
  parent: number;
  session: number;
  started: string;
  state: string;
  /** Processor time, its own and that of children it has seen end. */
  ticks: number;
}

const PROC = '/proc';
/** The kernel's unit for processor time, as it shows it to programs. */
const MS_PER_TICK = 10;
const STOPPED = 'T';
/** Also one that is traced by another that stands, dead, or about to be: what waits within the kernel stops on leaving it. */
const STANDING = [STOPPED, 't', 'Z', 'X', 'D'];
/** A second or so: what starts processes faster than they can be killed is not waited for longer. */
const MAX_ROUNDS = 200;

/** Null when there is no such process, or no /proc to look in. */
function entryOf(pid: number): ProcessEntry | null {
  const text = contentOf(`${PROC}/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in brackets and may hold anything; the rest is plain.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = ''] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  return { state, parent: Number(fields[1]), session: Number(fields[3]), started: fields[19] ?? '', ticks };
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process is gone, or this system has no /proc.
    return null;
  }
}

/** What tells a process that was just started from any other, also after the worker's own end. */
export function markOf(pid: number, uid: number | null): ProcessMark {
  return { pid, uid, started: entryOf(pid)?.started ?? null, boot: bootOfMachine };
}

/** A new text after each start of the machine; null when that cannot be told. */
const bootOfMachine = contentOf(`${PROC}/sys/kernel/random/boot_id`)?.trim() ?? null;

/**
 * Kills all that a run started: its process group, its session, and, when it has a user id of its own, everything of
 * that user. Looks again until nothing new appears, because a process may start another while it is being looked for.
 */
export async function killAllOf(mark: ProcessMark): Promise<void> {
  if (process.platform === 'win32') return killTree(mark.pid);
  // What has begun a session of its own is known by its parents, while these are there.
  const descendants = mark.uid === null ? treeOf(mark) : [];
  signal(-mark.pid);
  for (const { pid } of descendants) signal(pid);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = processesOf(mark);
    if (left.length === 0) return;
    for (const pid of left) signal(pid);
    if (round < 2) continue;
    // What starts others faster than they are found here.
    if (mark.uid !== null) await signalUser(mark.uid, 'KILL');
    await pause();
  }
}

/** Windows has neither groups nor sessions of processes; its own program finds what came of one. */
async function killTree(pid: number): Promise<void> {
  await new Promise<void>(done => {
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => done());
  });
  // Where that program is missing.
  signal(pid);
}

/**
 * Stops all that a run started where it stands. What forks may have a child that was not there at the last look, so it
 * looks until all that there is stands still.
 *
 * @throws Error when this system does not show what there is, or it cannot be brought to a stand; all goes on then.
 */
export async function freezeAllOf(mark: ProcessMark): Promise<void> {
  if (!seesProcesses()) throw new Error('This system has no /proc in which the processes of a run are seen.');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (mark.uid !== null && round % 20 === 0) await signalUser(mark.uid, 'STOP');
    const moving = treeOf(mark).filter(({ state }) => !STANDING.includes(state));
    if (moving.length === 0) return;
    for (const { pid } of moving) signal(pid, 'SIGSTOP');
    await pause();
  }
  await thawAllOf(mark);
  throw new Error('The processes of the run could not all be brought to a stand.');
}

/** Lets everything that stands go on. */
export async function thawAllOf(mark: ProcessMark): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const standing = treeOf(mark).filter(({ state }) => state === STOPPED);
    if (standing.length === 0) return;
    for (const { pid } of standing) signal(pid, 'SIGCONT');
    await pause();
  }
}

/** Whether the process with this mark still runs; false also where that cannot be told. */
export function isThere({ pid, started, boot }: ProcessMark): boolean {
  if (started === null || boot !== bootOfMachine) return false;
  const entry = entryOf(pid);
  return entry?.started === started && entry.state !== 'Z';
}

/** Kills the process with this mark. It may end by itself meanwhile, as most runs do just when they are to be ended. */
export function killOne(mark: ProcessMark): void {
  if (isThere(mark)) signal(mark.pid);
}

/**
 * What all processes of a run have, as /proc shows it: memory of their own and shared between them, processor time.
 *
 * @param all those of the machine
 */
export function usageOf(
  mark: ProcessMark,
  all: RunningProcess[],
): { memoryBytes: number; threads: number; cpuMs: number } {
  const usage = { memoryBytes: 0, threads: 0, cpuMs: 0 };
  for (const { status, ticks } of treeOf(mark, all)) {
    const text = status() ?? '';
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    usage.memoryBytes += (field('RssAnon') + field('RssShmem')) * 1024;
    usage.threads += field('Threads');
    usage.cpuMs += ticks * MS_PER_TICK;
  }
  return usage;
}

/** Whether processes of others are seen here: without that there is nothing to watch or to freeze. */
export const seesProcesses = (): boolean => entryOf(process.pid) !== null;

/**
 * Kills what an earlier worker left of a run. The session's number is no one else's while a process of it is there; when
 * the run's pid, or the whole machine, has been started anew since, nothing is touched.
 */
export async function killLeftOver(mark: ProcessMark): Promise<void> {
  if (mark.started === null || mark.boot !== bootOfMachine) return;
  const entry = entryOf(mark.pid);
  if (entry !== null && entry.started !== mark.started) return;
  await killAllOf(mark);
  if (mark.uid !== null) await signalUser(mark.uid, 'KILL');
}

/**
 * Ends everything that a run's own user has, so that the next run may be that user: also what no list of processes shows,
 * because it starts a successor and is gone before it is listed.
 *
 * @throws Error when something is left all the same.
 */
export async function clearUser(uid: number): Promise<void> {
  let killed = false;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    killed ||= await signalUser(uid, 'KILL');
    if (killed && processesOf({ pid: 0, uid }).length === 0) return;
    if (!killed) for (const pid of allProcesses()) if (realUserIn(statusOf(pid)) === uid) signal(pid);
    await pause();
  }
  throw new Error(`Processes of user ${uid} cannot be ended.`);
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5));

/** Without giving way: a look at a hundred processes takes less than a millisecond. */
function processesOf({ pid, uid }: Pick<ProcessMark, 'pid' | 'uid'>): number[] {
  return allProcesses().filter(candidate => {
    // A user id of the run's own is on all its processes: they cannot change it.
    if (uid !== null && ownerOf(candidate) !== uid) return false;
    const entry = entryOf(candidate);
    return entry !== null && entry.state !== 'Z' && (uid !== null || entry.session === pid);
  });
}

export interface RunningProcess extends ProcessEntry {
  pid: number;
  /** The text of its file `status`, read the first time that it is asked for; null when the process was gone by then. */
  status: () => string | null;
}

/** All processes of the machine, as they are now. */
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
 * The run's process and all that comes of it: whatever has its user, where it has one, whatever that does about its
 * files in /proc; otherwise its session, and the descendants of these that have begun one of their own.
 */
function treeOf(mark: ProcessMark, all = readProcesses()): RunningProcess[] {
  const isFirst = ({ pid, started }: RunningProcess) => pid === mark.pid && (mark.started ?? started) === started;
  if (mark.uid !== null) return all.filter(entry => isFirst(entry) || realUserIn(entry.status()) === mark.uid);
  const tree = new Set(all.filter(entry => isFirst(entry) || entry.session === mark.pid));
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
    // Gone meanwhile.
    return null;
  }
}

const statusOf = (pid: number): string | null => contentOf(`${PROC}/${pid}/status`);

/** A process can have its files in /proc be root's, but not what stands in them. */
function realUserIn(status: string | null): number | null {
  const uid = status?.match(/^Uid:\t(\d+)/m)?.[1];
  return uid === undefined ? null : Number(uid);
}

function signal(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone already, which is what is wanted, or not the worker's to kill.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
