/** Returns which limit of a thread an error of Piscina is about; null for an error with another cause. */
export function exceededLimit(error: unknown, { seconds, mb }: { seconds: number; mb: number }): string | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'AbortError') return `${seconds} s`;
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `${mb} MB of memory` : null;
}
