import type { Execution } from '../../api/entities.js';
import type { Place } from '../../components/runs/target-place.js';
import type { RowsSource } from '../../features/skript-executions/api/download-rows.js';
import { madeDuring, type RunTarget } from '../../features/skript-executions/run-targets.js';

/** Filter for the documents of a collection that a run has stored; empty if they cannot be told from others. */
export function filterOf(run: Execution, { kind, inserted }: RunTarget): string {
  if (kind === 'dataset') return JSON.stringify({ _run: run.id });
  // Nothing in a document tells which run has updated it.
  return (kind === 'collection' && inserted > 0 && madeDuring(run)) || '';
}

/**
 * Returns the rows of a target, to download them; null if Trawl does not know where they are. They are all rows of the
 * collection or table if it does not know which ones the run has stored.
 */
export function sourceOf(run: Execution, target: RunTarget, place: Place | null): RowsSource | null {
  if (target.kind === 'dataset') return { of: 'run', executionId: run.id };
  if (!place) return null;
  const filter = filterOf(run, target);
  const filename = `${(target.name ?? '').replaceAll(/[^\w.-]+/g, '-')}${filter && `-${run.id}`}.csv`;
  return place.store === 'mongodb'
    ? { of: 'collection', ...place, filter, filename }
    : { of: 'table', ...place, filename };
}
