import type { Type } from '@nestjs/common';
import { ACTIONS, type Action, isLive, type VerdictLevel } from '@trawl/contracts';
import { firstIdAt } from '../../../platform/common/sql/first-id-at.js';
import { DateTimeField, EnumField, UuidField } from '../../../platform/http/fields.js';

/** Adds the fields that select runs to the query or body `Base`. */
export function WithRunFilter<TBase extends Type<object>>(Base: TBase) {
  class RunFilter extends Base {
    @UuidField({ description: 'Only runs on this worker.', optional: true })
    worker_id?: string;

    @EnumField(ACTIONS, { description: 'Only runs in this state.', optional: true })
    action?: Action;

    @UuidField({ description: 'Only retries of this run, which must be the first attempt.', optional: true })
    retry_of?: string;

    @UuidField({ description: 'Only runs of this schedule.', optional: true })
    schedule_id?: string;

    @UuidField({ description: 'Only failed runs of this issue.', optional: true })
    issue_id?: string;

    @DateTimeField({ description: 'Only runs created at this time or later.', optional: true })
    created_from?: string;

    @DateTimeField({ description: 'Only runs created before this time.', optional: true })
    created_to?: string;
  }
  return RunFilter;
}

/** Number of runs in whose ids `id_contains` searches. */
export const SEARCHED_RUNS = 10_000;

export interface RunFilter {
  ids?: string[];
  /** Only with the id of the owner. */
  id_contains?: string;
  skript_id?: string;
  worker_id?: string;
  action?: Action;
  verdict?: VerdictLevel;
  retry_of?: string;
  schedule_id?: string;
  issue_id?: string;
  created_from?: string;
  created_to?: string;
}

/** SQL: the ids of runs of `$1` that contain a text. PostgreSQL reads the ids from an index, the newest first. */
const IDS_CONTAINING = `SELECT n.id FROM
  (SELECT id FROM executions WHERE owner_id = $1 ORDER BY id DESC LIMIT ${SEARCHED_RUNS}) n WHERE n.id::text LIKE '%' || ? || '%'`;

/**
 * Returns the SQL condition on `executions e` and its parameters. It is true for the runs in the filter.
 * @param ownerId selects the runs of this account; undefined for those of all accounts.
 */
export function conditionOf(ownerId: string | undefined, filter: RunFilter): { where: string; values: unknown[] } {
  // The ids are in the order of time.
  const conditions: [condition: string, value: unknown][] = [
    ['owner_id = ?', ownerId],
    ['id = ANY(?::uuid[])', filter.ids],
    [`id IN (${IDS_CONTAINING})`, filter.id_contains],
    ['skript_id = ?', filter.skript_id],
    ['worker_id = ?', filter.worker_id],
    ['action = ?', filter.action],
    ["id IN (SELECT execution_id FROM run_profiles WHERE verdict->>'level' = ?)", filter.verdict],
    ['retry_of = ?', filter.retry_of],
    ['schedule_id = ?', filter.schedule_id],
    ['id IN (SELECT execution_id FROM failures WHERE issue_id = ?)', filter.issue_id],
    ['id >= ?', filter.created_from && firstIdAt(new Date(filter.created_from))],
    ['id < ?', filter.created_to && firstIdAt(new Date(filter.created_to))],
  ];
  const set = conditions.filter(([, value]) => value !== undefined);
  return {
    where: [
      'true',
      ...set.map(([condition], index) => `e.${condition.replace('?', `$${index + 1}`)}`),
      // Without this, PostgreSQL reads the whole history to find the live runs of all accounts.
      ...(ownerId === undefined && filter.action && isLive(filter.action)
        ? ['e.id IN (SELECT execution_id FROM live_runs)']
        : []),
    ].join(' AND '),
    values: set.map(([, value]) => value),
  };
}
