import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 400;
const POLL_GROWTH = 1.25;

/**
 * Calls `look` again and again until it returns a value, for example until another process has done its work. After
 * `withinMs` it throws an error that contains `what`. The pause between two calls grows, because each call takes
 * processor time from the process that it waits for.
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
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS)) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}. ${await details()}`);
    await sleep(pollMs);
  }
}
