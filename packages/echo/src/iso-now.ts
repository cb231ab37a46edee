/** The time that was asked for last. */
let last = { ms: Number.NaN, text: '' };

/**
 * Returns the time as ISO text. It formats each millisecond once: many echoes have the same one, and formatting takes
 * longer than everything else that sends an echo.
 */
export function isoNow(): string {
  const ms = Date.now();
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
