const GIVE_UP_MS = 30_000;
const LOOK_AGAIN_MS = 20;

/**
 * What `look` sees once it is `good`: for what another process or a later turn brings about.
 * @throws Error with what was seen last, after half a minute.
 */
export async function until<T>(look: () => T | Promise<T>, good: (seen: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + GIVE_UP_MS; ; ) {
    const seen = await look();
    if (good(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`Not so within half a minute; seen last: ${JSON.stringify(seen)}`);
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
