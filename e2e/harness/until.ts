import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Calls `look` again and again until it returns a value, for example until another process has done its work. After
 * `withinMs` it throws an error that contains `what`.
 *
 * @param details called only for that error; adds what a person needs to find the cause
 */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  what: string,
  withinMs = 60_000,
  details: () => Promise<string> | string = () => '',
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}. ${await details()}`);
    await sleep(POLL_MS);
  }
}
