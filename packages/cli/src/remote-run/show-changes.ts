import type { Execution, Run } from '@trawl/client';
import { WAITING_TEXTS } from '@trawl/contracts';
import { localTime } from '../terminal/local-time.js';
import type { Output } from '../terminal/output.js';

/** How often a line about the same wait follows another, where lines cannot be replaced. */
const PROGRESS_MS = 10_000;

/** Prints each attempt after the first, and why the run waits, until it has ended. Returns its latest attempt. */
export async function showChanges(run: Run, output: Output, signal: AbortSignal): Promise<Execution> {
  let before: Execution | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  for await (const now of run.changes({ signal })) {
    const isProgress = now.waiting_for != null && before?.id === now.id && isSameWait(now, before);
    // There may be hundreds of packages.
    const isTold = !isProgress || output.canReplace || Date.now() - toldAt >= PROGRESS_MS;
    if (isTold) {
      for (const line of linesOf(now, before)) output.note(line, { isReplacing: isProgress });
      toldAt = Date.now();
    }
    before = now;
  }
  // A run that Trawl has accepted has a state.
  return before as Execution;
}

const isSameWait = (now: Execution, before: Execution): boolean =>
  now.waiting_for?.reason === before.waiting_for?.reason;

/** Returns what has changed since the last look. */
export function linesOf(now: Execution, before: Execution | undefined): string[] {
  const isNext = before !== undefined && before.id !== now.id;
  const failed = isNext ? [`Attempt ${before.attempt} failed with the code ${before.error_code}.`] : [];
  const started = now.attempt > 1 && before?.id !== now.id ? [`Attempt ${now.attempt}: the run ${now.id}.`] : [];
  if (now.waiting_for) return [...failed, ...started, `The run waits: ${reasonOf(now.waiting_for)}.`];
  const hasWaited = before?.waiting_for != null && now.action === 'start';
  const paused = now.action === 'pause' ? ['The run is paused.'] : [];
  return [
    ...failed,
    ...started,
    ...(hasWaited ? [`The run continues on ${now.worker?.name ?? 'its worker'}.`] : []),
    ...paused,
  ];
}

function reasonOf({ reason, until, place, of, packages }: NonNullable<Execution['waiting_for']>): string {
  if (reason === 'retry_scheduled' && until) return `this attempt starts at ${localTime(until)}`;
  const progress = place ? `, place ${place} of ${of}` : packages ? `, ${packages} packages so far` : '';
  return `${WAITING_TEXTS[reason] ?? reason}${progress}`;
}
