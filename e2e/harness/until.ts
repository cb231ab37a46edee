const LOOK_AGAIN_MS = 25;

/** Looks until there is something, for what another process brings about. Fails naming what was waited for. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  what: string,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}.`);
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
