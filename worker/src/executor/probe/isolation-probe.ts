import { readFileSync } from 'node:fs';
import type { Executor } from '../port/executor.js';
import { runProbe } from './probe-run.js';

const TIMEOUT_MS = 15_000;

/** The things that a run can see of itself and of the machine. */
export interface Isolation {
  uid: number;
  /** Whether the run sees the worker's process or files. */
  seesWorker: boolean;
  /** Whether the kernel reports a seccomp filter for the run. */
  hasSeccompFilter: boolean;
  /** Whether the kernel writes the memory of a process that crashes to a program of the machine. */
  dumpsCores: boolean;
}

const skript = (workerPid: number, workerFile: string): string => `
const fs = require('node:fs');
const hasSeccompFilter = () => {
  try { return /^Seccomp:\\s+2/m.test(fs.readFileSync('/proc/self/status', 'utf8')); } catch { return false; }
};
const coreBytes = () => {
  try { return /^Max core file size +(\\w+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1]; } catch { return undefined; }
};
module.exports = async () => ({
  coreBytes: coreBytes(),
  uid: process.getuid?.() ?? -1,
  seesWorker: fs.existsSync('/proc/${workerPid}') || fs.existsSync(${JSON.stringify(workerFile)}),
  hasSeccompFilter: hasSeccompFilter(),
});`;

/**
 * Starts a process in the same way as for a run, and returns what a skript in the process can see.
 *
 * @param workerFile a file of the worker that runs must not see
 * @throws Error that says why the process did not start
 */
export async function probeIsolation(executor: Executor, workerFile: string): Promise<Isolation> {
  const code = skript(process.pid, workerFile);
  const seen = (await runProbe(executor, { environment: 'nodejs', code, timeoutMs: TIMEOUT_MS })) as Omit<
    Isolation,
    'dumpsCores'
  > & { coreBytes?: string };
  return { ...seen, dumpsCores: pipesCores() && seen.coreBytes !== '1' };
}

/** Whether the kernel pipes core files to a program. It then ignores a limit of their size other than one byte. */
function pipesCores(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/core_pattern', 'utf8').startsWith('|');
  } catch {
    // This system has no /proc, so it has no such pipe.
    return false;
  }
}
