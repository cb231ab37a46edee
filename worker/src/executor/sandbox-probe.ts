import type { StartCommand } from '../pipe-messages.js';
import { PooledProcess } from '../pooled-process.js';
import type { Executor } from './executor.js';

const PROBE_MS = 15_000;

/** What a run sees of itself and of the machine. */
export interface SeenInside {
  uid: number;
  /** Whether it sees the worker's process and files. */
  worker: boolean;
  /** Whether a filter of system calls is on it, as the kernel says. */
  filtered: boolean;
}

const skript = (workerPid: number, workerFile: string): string => `
const fs = require('node:fs');
const isFiltered = () => {
  try { return /^Seccomp:\\s+2/m.test(fs.readFileSync('/proc/self/status', 'utf8')); } catch { return false; }
};
module.exports = async () => ({
  uid: process.getuid?.() ?? -1,
  worker: fs.existsSync('/proc/${workerPid}') || fs.existsSync(${JSON.stringify(workerFile)}),
  filtered: isFiltered(),
});`;

/**
 * Makes a process as for a run, and has it look around.
 *
 * @param workerFile a file that no run is to see
 * @returns what it saw
 * @throws Error that says why no process could be made
 */
export async function lookInside(executor: Executor, workerFile: string): Promise<SeenInside> {
  const run = await executor.start(0, 'nodejs');
  try {
    const process = new PooledProcess(0, 'nodejs', run);
    await process.parked();
    const message = JSON.parse(await answerOf(process, workerFile));
    if (message.t !== 'settled') throw new Error(String(message.stack ?? message.t));
    return JSON.parse(message.output);
  } finally {
    await run.kill();
    await executor.clear(0);
  }
}

function answerOf({ process: run, pipes }: PooledProcess, workerFile: string): Promise<string> {
  const start: StartCommand = {
    t: 'start',
    run: 1,
    warm: false,
    code: skript(process.pid, workerFile),
    input: null,
    input_secret: null,
    execution_id: '',
    skript: { id: '', title: '' },
    worker: { id: '', name: '' },
    output_bytes: 10_000,
    folder: run.folder,
    libraries: null,
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not answer')), PROBE_MS);
    pipes.listen({
      message: resolve,
      printed: (_type, text) => reject(new Error(text)),
      pace: () => undefined,
      limitReached: ({ text }) => reject(new Error(text)),
      ended: ({ code, signal }) =>
        void pipes.allRead().then(() => reject(new Error(`it ended with ${signal ?? code}`))),
    });
    void run.ended.then(() => clearTimeout(timer));
    run.commands.write(`${JSON.stringify(start)}\n`);
  });
}
