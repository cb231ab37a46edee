import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { WrittenTarget } from '../../../api/entities.js';
import { isKeyValueStore, targetKey } from '../../../components/runs/written-target.js';

/** A run that is live writes more; its live updates do not say so. */
const REFRESH_MS = 10_000;

const writtenDataQuery = (skriptId: string) =>
  queryOptions({
    queryKey: ['written-data', skriptId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skript-execution/written-data', { params: { query: { skript_id: skriptId } }, signal }),
      ),
    refetchInterval: REFRESH_MS,
  });

export const useWrittenData = (skriptId: string) => useQuery(writtenDataQuery(skriptId));

/** The target in the address; or else the one that was written to last and whose rows can be shown. */
export function chosenTarget(
  targets: readonly WrittenTarget[],
  key: string,
  skriptId: string,
): WrittenTarget | undefined {
  const shown = targets.filter(({ name }) => name !== null);
  return (
    shown.find(target => targetKey(target) === key) ??
    shown.find(target => !isKeyValueStore(target, skriptId)) ??
    shown[0]
  );
}

const DAY_MS = 86_400_000;
/** Days that a chart of growth shows. */
export const CHART_DAYS = 30;

/** Returns the rows that were added on each day, the oldest first, today last. More deletions than insertions are 0. */
export function growthByDay({ days }: WrittenTarget, now = Date.now()): number[] {
  const added = new Map(days.map(({ day, inserted, deleted }) => [day, Math.max(0, inserted - deleted)]));
  return Array.from({ length: CHART_DAYS }, (_, index) => {
    const at = new Date(now - (CHART_DAYS - 1 - index) * DAY_MS);
    return added.get(at.toISOString().slice(0, 10)) ?? 0;
  });
}
