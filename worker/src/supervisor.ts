import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { RESTART_EXIT_CODE } from './exit-codes.js';
import { NODE_ARGUMENTS } from './node-arguments.js';

/** Delay before a worker is started again that died after a restart. */
const RETRY_MS = 5_000;

/**
 * Runs a worker in a child process, and starts it again when it asks for a restart. If the first worker ends in any
 * other way, this process ends with the same exit code. A restart may be requested remotely when no operator is there.
 * So if a worker dies after a restart, it is started again until it works. The worker ends when this process ends,
 * because the worker's standard input closes.
 */
export async function supervise(script: string): Promise<void> {
  let worker: ChildProcess | undefined;
  let ending = false;
  const wait = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      ending = true;
      worker?.kill(signal);
      wait.abort();
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
      worker.stdin?.on('error', () => {}); // the exit event reports a dead worker
      const [exitCode, signal] = (await once(worker, 'exit')) as [number | null, NodeJS.Signals | null];
      code = exitCode ?? 128 + (signal ? constants.signals[signal] : 0);
      reason = signal ?? `code ${exitCode}`;
    } catch (error) {
      // At the first start, fail with the error, so that the operator sees it. After a restart, try again later,
      // because memory or processes may then be free again.
      if (!restarted) throw error;
      code = 1;
      reason = String(error);
    }
    const asksForRestart = code === RESTART_EXIT_CODE;
    if (ending || (!asksForRestart && (!restarted || code === 0))) process.exit(code);
    if (asksForRestart) continue;
    process.stderr.write(`The worker ended (${reason}); restarting it in ${RETRY_MS} ms.\n`);
    await delay(RETRY_MS, undefined, { signal: wait.signal }).catch(() => {}); // aborted: ends below
    if (ending) process.exit(0);
  }
}
