import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { useExecutions } from '../../../api/requests/list-executions.js';

/** The last run of the same skript that was created before this one and has completed. Null if there is none, or not yet. */
export function useLastGoodRun({ id, skript, created_at }: Execution): Execution | null {
  const before = useExecutions({
    skript_id: skript.id,
    action: 'end',
    created_to: created_at,
    sort: '-created_at',
    // The first one may be this run, because `created_to` includes its time.
    limit: 2,
  });
  // Lists leave out what a run has written.
  return useExecution(before.data?.items.find(run => run.id !== id)?.id ?? '').data ?? null;
}
