import { spawnSync } from 'node:child_process';
import { errnoOf } from './errno.js';

/** Returns whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Returns the command line of a process; undefined if there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  return psColumn(pid, 'args=');
}

export function parentOf(pid: number): number | undefined {
  const parent = psColumn(pid, 'ppid=');
  return parent === undefined ? undefined : Number(parent);
}

function psColumn(pid: number, column: string): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const { status, stdout, error } = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' });
  if (error)
    throw new Error(`Trawl needs the program "ps" to check whether process ${pid} is PostgreSQL: ${error.message}.`);
  return status === 0 ? stdout.trim() : undefined;
}
