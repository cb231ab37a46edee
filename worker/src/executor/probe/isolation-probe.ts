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
}

const skript = (workerPid: number, workerFile: string): string => `
const fs = require('node:fs');
const hasSeccompFilter = () => {
  try { return /^Seccomp:\\s+2/m.test(fs.readFileSync('/proc/self/status', 'utf8')); } catch { return false; }
};
module.exports = async () => ({
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
  return (await runProbe(executor, { environment: 'nodejs', code, timeoutMs: TIMEOUT_MS })) as Isolation;
}
