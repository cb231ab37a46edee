import type { Logger } from 'pino';

/**
 * Maximum time for shutting down. The worker's next start delivers everything that the worker could not deliver to the
 * platform in this time.
 */
const DEADLINE_MS = 3_000;

/** Shuts this process down. Only the first call has an effect. */
export type End = (reason: string, code?: number) => void;

/**
 * Calls `end` and exits when the process gets SIGTERM or SIGINT, when its supervisor has ended (standard input closes),
 * or when the returned function is called.
 */
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
        log.error({ reason: String(error) }, 'failed to shut down cleanly');
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
