const GIVE_UP_MS = 60_000;
const LOOK_AGAIN_MS = 20;

/**
 * Calls `look` again and again until `good` accepts the result, and returns that result.
 * @throws Error with the last result after 60 s.
 */
export async function until<T>(look: () => T | Promise<T>, good: (seen: T) => boolean): Promise<T> {
  for (const deadline = performance.now() + GIVE_UP_MS; ; ) {
    const seen = await look();
    if (good(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Timed out after 60 s; last result: ${JSON.stringify(seen)}`);
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
