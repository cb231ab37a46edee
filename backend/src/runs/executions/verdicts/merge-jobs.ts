import { insertPlatformJobs } from '../../../platform/jobs/platform-jobs.js';

/** The kind of the jobs that merge the rows of a skript's runs into its items. */
export const ITEMS_MERGE = 'items_merge';

export interface ItemsMerge {
  skript_id: string;
}

/**
 * SQL of steps that make the merges of runs due, and the statement that adds a job for each of them. The lane is the account,
 * so that many runs of one account leave places for the jobs of others.
 * @param judged SQL of a step with the `execution_id` of runs, and whether their verdict `is_good`
 */
export const makeMergesDue = (judged: string): string => `due AS (
    UPDATE run_merges m SET state = 'due' FROM ${judged} j
    WHERE m.execution_id = j.execution_id AND j.is_good AND m.state = 'waiting' RETURNING m.skript_id)
  ${insertPlatformJobs(ITEMS_MERGE, {
    lane: 's.owner_id::text',
    params: `json_build_object('skript_id', s.id)`,
    delaySeconds: 0,
    from: 'due d JOIN skripts s ON s.id = d.skript_id',
  })}`;
