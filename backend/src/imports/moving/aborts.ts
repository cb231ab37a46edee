/**
 * Waits for a write that only the backend that holds the job may make. If it was refused, the job is cancelled or lost:
 * waits until `signal` is aborted.
 * @throws the reason of the signal.
 */
export async function orAborted(signal: AbortSignal, write: Promise<boolean>): Promise<void> {
  if (await write) return;
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  signal.throwIfAborted();
}

/** True if another backend, or this one after a restart, continues the import. A cancelled one is not handed over. */
export const isHandedOver = (signal: AbortSignal): boolean => signal.aborted && signal.reason !== 'cancelled';
