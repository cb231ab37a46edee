import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
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
  // Small images of Linux have no `ps`.
  if (process.platform === 'linux') return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim();
  return psColumn(pid, 'args=');
}

export function parentOf(pid: number): number | undefined {
  if (process.platform === 'linux') {
    const parent = /^PPid:\s*(\d+)$/m.exec(readProc(pid, 'status') ?? '')?.[1];
    return parent === undefined ? undefined : Number(parent);
  }
  const parent = psColumn(pid, 'ppid=');
  return parent === undefined ? undefined : Number(parent);
}

/** Returns the processes whose working folder this is; none on systems other than Linux. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && workFolderOf(Number(name)) === folder)
    .map(Number);
}

/** Returns whether a process works in this folder; on systems other than Linux, whether it is a child of `parent`. */
export function belongsTo(pid: number, folder: string, parent: number | undefined): boolean {
  return process.platform === 'linux' ? workFolderOf(pid) === folder : parentOf(pid) === parent;
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function workFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // The process has ended, or belongs to somebody else.
  }
}

function readProc(pid: number, file: string): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // The process has ended.
  }
}

function psColumn(pid: number, column: string): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const { status, stdout, error } = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' });
  if (error)
    throw new Error(`Trawl needs the program "ps" to check whether process ${pid} is PostgreSQL: ${error.message}.`);
  return status === 0 ? stdout.trim() : undefined;
}
