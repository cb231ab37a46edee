import type { BundleProblem } from '@trawl/contracts';
import { useMemo } from 'react';
import type { Skript } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { firstPlace, headingOf, messageAndTrace } from '../../features/skript-executions/stack-parts.js';
import { useLastRun } from '../../features/skripts/home/head-facts.js';

/**
 * Returns where the shown run failed, or else the last run of the skript: its message and the first place in the
 * skript's files. Null unless it ran the files as they are now, because the line may be another one in others.
 */
export function useRunProblem(skript: Skript, executionId: string): BundleProblem | null {
  const shown = useExecution(executionId).data;
  const last = useLastRun(skript.id).data?.items[0];
  const run = executionId === '' ? last : shown;
  const { id, files, stale, bundle_hash: current } = skript;
  const isOfFiles = run?.action === 'error' && run.skript.id === id && !stale && run.bundle_hash === current;
  const stack = isOfFiles ? run.error_stack : null;
  return useMemo(() => {
    if (!stack) return null;
    const place = firstPlace(stack, new Set(files.map(({ name }) => name)));
    return place && { ...place, message: headingOf(messageAndTrace(stack).message), line_text: null };
  }, [stack, files]);
}
