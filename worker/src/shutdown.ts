import type { Logger } from 'pino';

/** What is not given to the platform by then is given at the next start. */
const DEADLINE_MS = 3_000;

/** Says to whoever supervises the worker: start it again at once, it was asked to. */
export const RESTART_EXIT_CODE = 75;

/** Ends this process in order, once, with this exit code. */
export type End = (reason: string, code?: number) => void;

/** Ends on SIGTERM, SIGINT, when the supervisor that holds our stdin is gone, or when it is told to. */
export function endOnSignals(supervised: boolean, log: Logger, end: () => Promise<void>): End {
  let ending = false;
  const endOnce: End = (reason, code = 0) => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'shutting down');
    setTimeout(() => process.exit(code), DEADLINE_MS).unref();
    end().then(
      () => process.exit(code),
      error => {
        log.error({ reason: String(error) }, 'the worker did not shut down in order');
        process.exit(code || 1);
      },
    );
  };
  process.on('SIGTERM', () => endOnce('SIGTERM'));
  process.on('SIGINT', () => endOnce('SIGINT'));
  if (supervised) {
    process.stdin.on('end', () => endOnce('the supervisor is gone'));
    process.stdin.on('error', () => endOnce('the supervisor is gone'));
    process.stdin.resume();
  }
  return endOnce;
}
