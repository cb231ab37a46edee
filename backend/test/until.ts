const GIVE_UP_MS = 60_000;
const FIRST_PAUSE_MS = 20;
/** Pauses grow to this length, because each look may be a call, and many tests wait for seconds. */
const LONGEST_PAUSE_MS = 320;

/**
 * Calls `look` again and again until `good` accepts the result, and returns that result.
 * @throws Error with the last result after 60 s.
 */
export async function until<T>(look: () => T | Promise<T>, good: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(1.5 * pauseMs, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (good(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Timed out after 60 s; last result: ${JSON.stringify(seen)}`);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}
