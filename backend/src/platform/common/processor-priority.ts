import { readFileSync, writeFileSync } from 'node:fs';

/** Ten times the share of other sessions. */
const NICE = '-10';

/**
 * Lets this process and its session get a processor before other programs of the machine, such as runs and queries of
 * users. It needs little time, but all accounts wait for it. The kernel shares the processors between sessions first, so
 * the priority of the process alone would have no effect.
 *
 * Does nothing without root, without Linux, or in a container, whose weight its operator sets.
 * See docs/decisions/0426-the-backend-gets-processors-first.md.
 */
export const preferThisSession = (): void => prefer('self');

/**
 * Does the same for a process of PostgreSQL that serves one of our connections: each has a session of its own. If the
 * server runs elsewhere, the id may be that of another program of this machine, which stays as it is.
 */
export function preferPostgres(processId: number): void {
  try {
    if (!readFileSync(`/proc/${processId}/cmdline`, 'utf8').startsWith('postgres: ')) return;
  } catch {
    return; // This machine has no such process.
  }
  prefer(String(processId));
}

function prefer(processId: string): void {
  try {
    writeFileSync(`/proc/${processId}/autogroup`, NICE);
  } catch {
    // The kernel refuses this without root. Everything works without it.
  }
}
