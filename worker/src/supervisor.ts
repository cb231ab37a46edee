import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { NODE_ARGUMENTS } from './node-arguments.js';
import { RESTART_EXIT_CODE } from './shutdown.js';

/** How long after the death of a worker that was restarted before the next one is tried. */
const RETRY_MS = 5_000;

/**
 * Runs a worker in a process of its own, and again whenever it ends to be restarted. Its first process is the operator's:
 * however that ends, this one ends the same. One that was restarted from afar has nobody beside it, so it is tried again
 * until it works. The worker ends when this process does: its standard input closes.
 */
export async function supervise(script: string): Promise<void> {
  let worker: ChildProcess | undefined;
  let ending = false;
  let wake = () => {};
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      ending = true;
      worker?.kill(signal);
      wake();
    });
  }
  for (let restarted = false; ; restarted = true) {
    let code: number;
    let reason: string;
    try {
      worker = spawn(process.execPath, [...NODE_ARGUMENTS, ...process.execArgv, script], {
        env: { ...process.env, TRAWL_SUPERVISED: '1' },
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      worker.stdin?.on('error', () => {}); // it has died; its exit says so
      const [exitCode, signal] = (await once(worker, 'exit')) as [number | null, NodeJS.Signals | null];
      code = exitCode ?? 128 + (signal ? constants.signals[signal] : 0);
      reason = signal ?? `code ${exitCode}`;
    } catch (error) {
      // The operator is told of the first. For a later one, the machine may have a process and memory again in a while.
      if (!restarted) throw error;
      code = 1;
      reason = String(error);
    }
    const isAsked = code === RESTART_EXIT_CODE;
    if (ending || (!isAsked && (!restarted || code === 0))) process.exit(code);
    if (isAsked) continue;
    process.stderr.write(`The worker ended (${reason}); starting it again in ${RETRY_MS} ms.\n`);
    await new Promise<void>(resolve => {
      wake = resolve;
      setTimeout(resolve, RETRY_MS);
    });
    if (ending) process.exit(0);
  }
}
