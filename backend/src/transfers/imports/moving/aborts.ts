/**
 * Waits for a statement that only the backend that holds the job may execute. If PostgreSQL refused it, the job is
 * cancelled or lost, and `signal` aborts soon.
 * @throws the reason of the signal.
 */
export async function held<T>(signal: AbortSignal, statement: Promise<T | false | undefined>): Promise<T> {
  const result = await statement;
  if (result !== false && result !== undefined) return result;
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  throw signal.reason;
}

/** True if another backend, or this one after a restart, continues the import. A cancelled one is not handed over. */
export const isHandedOver = (signal: AbortSignal): boolean => signal.aborted && signal.reason !== 'cancelled';
