import { readdir, readFile, stat } from 'node:fs/promises';
import type { ProcessMark } from './executor.js';

interface ProcessEntry {
  pid: number;
  session: number;
  started: string;
  state: string;
}

const PROC = '/proc';

/** Null when there is no such process, or no /proc to look in. */
async function entryOf(pid: number): Promise<ProcessEntry | null> {
  const text = await readFile(`${PROC}/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The second field is the program's name in brackets and may hold anything; the rest is plain.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { pid, state: fields[0] ?? '', session: Number(fields[3]), started: fields[19] ?? '' };
}

/** When a process started, in the kernel's own count; null when that cannot be told. */
export async function startTimeOf(pid: number): Promise<string | null> {
  return (await entryOf(pid))?.started ?? null;
}

/**
 * Kills all that a run started: its process group, its session, and, when it has a user id of its own, everything of
 * that user. Looks again until nothing new appears, because a process may start another while it is being looked for.
 */
export async function killAllOf(mark: ProcessMark): Promise<void> {
  signal(-mark.pid);
  for (let round = 0; round < 20; round += 1) {
    const left = await processesOf(mark);
    if (left.length === 0) return;
    for (const pid of left) signal(pid);
    if (round > 1) await new Promise(resolve => setTimeout(resolve, 5));
  }
}

/**
 * Kills what an earlier worker left of a run. The session's number is no one else's while a process of it is there; when
 * the run's pid, or the whole machine, has been started anew since, nothing is touched.
 */
export async function killLeftOver(mark: ProcessMark): Promise<void> {
  if (mark.started === null || mark.boot !== (await bootOfMachine())) return;
  const entry = await entryOf(mark.pid);
  if (entry === null || entry.started === mark.started) await killAllOf(mark);
}

/** A new text after each start of the machine; null when that cannot be told. */
export async function bootOfMachine(): Promise<string | null> {
  const text = await readFile(`${PROC}/sys/kernel/random/boot_id`, 'utf8').catch(() => null);
  return text?.trim() ?? null;
}

async function processesOf({ pid, uid }: ProcessMark): Promise<number[]> {
  const pids = (await readdir(PROC).catch(() => [])).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    pids.map(async candidate => {
      const entry = await entryOf(candidate);
      if (!entry || entry.state === 'Z') return null;
      if (entry.session === pid) return candidate;
      if (uid === null) return null;
      const owner = await stat(`${PROC}/${candidate}`).catch(() => null);
      return owner?.uid === uid ? candidate : null;
    }),
  );
  return found.filter(candidate => candidate !== null);
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone already, which is what is wanted, or not the worker's to kill.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
