import { spawnSync } from 'node:child_process';
import { errnoOf } from './errno.js';

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** How that process was started, or undefined if there is none. */
export function commandLineOf(pid: number): string | undefined {
  return ask(pid, 'args=');
}

export function parentOf(pid: number): number | undefined {
  const answer = ask(pid, 'ppid=');
  return answer === undefined ? undefined : Number(answer);
}

function ask(pid: number, column: string): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const { status, stdout, error } = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' });
  if (error)
    throw new Error(`The program "ps" is needed to see whether process ${pid} is a PostgreSQL: ${error.message}.`);
  return status === 0 ? stdout.trim() : undefined;
}
