import type { Logger } from 'pino';

/** What is not given to the platform by then is given at the next start. */
const DEADLINE_MS = 3_000;

/** Ends this process in order, once, on SIGTERM, SIGINT, or when the supervisor that holds our stdin is gone. */
export function endOnSignals(supervised: boolean, log: Logger, end: () => Promise<void>): void {
  let ending = false;
  const endOnce = (reason: string) => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'shutting down');
    setTimeout(() => process.exit(0), DEADLINE_MS).unref();
    end().then(
      () => process.exit(0),
      error => {
        log.error({ reason: String(error) }, 'the worker did not shut down in order');
        process.exit(1);
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
}
