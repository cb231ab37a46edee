import { writeFileSync } from 'node:fs';

/** Ten times the share of other sessions. */
const NICE = '-10';

/**
 * Lets this process and its session get a processor before other programs of the machine, such as runs and queries of
 * users. It needs little time, but all accounts wait for it. The kernel shares the processors between sessions first, so
 * the priority of the process alone would have no effect.
 *
 * Does nothing without root, without Linux, or in a container, whose weight its operator sets.
 */
export function preferThisSession(): void {
  try {
    writeFileSync('/proc/self/autogroup', NICE);
  } catch {
    // The kernel refuses this without root. Everything works without it.
  }
}
