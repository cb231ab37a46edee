import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export interface HelperOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  stdio: StdioOptions;
}

export interface HelperProcess {
  child: ChildProcess;
  /** The helper's standard input. It closes when the worker ends for any reason, and the helper then ends too. */
  input: Socket;
  /** Resolves with a reason when the helper ends, when it cannot be started, or when a message cannot be sent to it. */
  ended: Promise<string>;
}

/**
 * Starts a helper, one of the small processes that run beside the worker. The helper has its own session, and only the
 * environment variables in `options`.
 *
 * @param options.stdio the first entry must be `pipe`
 */
export function startHelper(program: string, args: string[], options: HelperOptions): HelperProcess {
  const child = spawn(program, args, { ...options, detached: true, windowsHide: true });
  const input = child.stdin as Socket;
  // Ignore errors of the pipe: `ended` reports the end of the helper.
  input.on('error', () => {});
  const ended = new Promise<string>(resolve => {
    // Do not use `once`: there is an `error` event for each message that cannot be sent.
    child.on('error', error => resolve(String(error)));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  return { child, input, ended };
}

/**
 * Makes a helper ignore signals to stop. The worker gets such a signal too, and it needs its helpers while it ends the
 * runs.
 */
export function ignoreStopSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
}
