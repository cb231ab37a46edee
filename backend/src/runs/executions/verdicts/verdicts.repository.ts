import { Injectable } from '@nestjs/common';
import { LIVE_ACTIONS, type RowContract } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { jsonForPostgres } from '../../../platform/common/sql/json-text.js';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import type { AcceptedRun } from './alarms/row-alarms.service.js';
import { MAX_EARLIER } from './judgement/judge.js';
import type { ExampleRow } from './judgement/rows-that-show.js';
import type { ShownVerdict } from './judgement/verdict.js';
import { makeMergesDue } from './merge-jobs.js';
import type { RunProfile } from './profile/run-profile.js';
import { deleteProfiles, HOLDS, INPUT_KEY, NEEDS_GOOD_VERDICT, UNJUDGED } from './profiles-sql.js';

/** SQL: whether runs that have ended wait for a verdict. */
export const HAS_UNJUDGED = `EXISTS (SELECT FROM run_profiles p
  WHERE p.verdict IS NULL AND NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = p.execution_id))`;

/** Rows of a run, by dataset, collection and table. */
export type Examples = Record<string, ExampleRow[]>;

/** A run that has a verdict. */
export interface JudgedRun {
  id: string;
  profile: RunProfile;
  is_good: boolean;
  /** Whether the owner has accepted its verdict. */
  is_accepted: boolean;
}

export interface UnjudgedRun {
  id: string;
  /** Null if the run has been deleted. */
  action: string | null;
  owner_id: string;
  skript_name: string;
  skript_id: string;
  input_key: string;
  profile: RunProfile;
  examples: Examples | null;
  contract: RowContract | null;
}

/** Statements of the table `run_profiles`. */
@Injectable()
export class VerdictsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Saves the profile of a run that is about to end. Does nothing if the run belongs to another worker, or
   * is a replay.
   * @param mayHaveKeys whether rows of the run may have a key; then they are merged into items after a good verdict
   */
  async saveProfile(
    workerId: string,
    id: string,
    { profile, examples, mayHaveKeys }: { profile: RunProfile; examples: Examples; mayHaveKeys: boolean },
  ): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'profile of a run',
      `WITH saved AS (
         INSERT INTO run_profiles (execution_id, skript_id, input_key, profile, examples, is_held)
         SELECT e.id, e.skript_id, ${INPUT_KEY}, $3, $4, ${HOLDS}
         FROM executions e LEFT JOIN skripts s ON s.id = e.skript_id
         WHERE e.id = $1 AND e.worker_id = $2 AND e.action = ANY($5) AND e.replay_of IS NULL
         ON CONFLICT DO NOTHING RETURNING execution_id, skript_id, input_key)
       INSERT INTO run_merges (execution_id, skript_id, input_key, first_id)
       SELECT saved.*, COALESCE(e.retry_of, e.id) FROM saved JOIN executions e ON e.id = saved.execution_id WHERE $6`,
      [id, workerId, jsonForPostgres(profile), jsonForPostgres(examples), LIVE_ACTIONS, mayHaveKeys],
    );
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /**
   * Returns those runs whose contract wants a verdict before they end. Saves the given profiles of those that have none:
   * they stored nothing, or saving their profiles failed.
   *
   * @param finishes the runs, and the workers that report their ends
   */
  async mustJudgeFirst(finishes: { id: string; workerId: string; profile: RunProfile }[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `WITH waiting AS (
         SELECT e.id, e.skript_id, ${INPUT_KEY} AS input_key, f.profile
         FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS f(id, worker_id, profile)
           JOIN live_runs r ON r.execution_id = f.id AND r.worker_id = f.worker_id
           JOIN executions e ON e.id = f.id
         WHERE ${NEEDS_GOOD_VERDICT}),
       added AS (
         INSERT INTO run_profiles (execution_id, skript_id, input_key, profile)
         SELECT id, skript_id, input_key, profile::json FROM waiting ON CONFLICT DO NOTHING)
       SELECT id FROM waiting`,
      [
        finishes.map(({ id }) => id),
        finishes.map(({ workerId }) => workerId),
        finishes.map(({ profile }) => jsonForPostgres(profile)),
      ],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns whether exports leave out the rows of a run: because they are broken, or until the run has its verdict. */
  async holdOn(id: string): Promise<'broken' | 'unjudged' | null> {
    const [row] = await this.dataSource.query<{ is_held: boolean; is_judged: boolean }[]>(
      `SELECT COALESCE(p.is_held, r.execution_id IS NOT NULL AND ${HOLDS}) AS is_held, p.verdict IS NOT NULL AS is_judged
       FROM executions e LEFT JOIN run_profiles p ON p.execution_id = e.id
         LEFT JOIN live_runs r ON r.execution_id = e.id LEFT JOIN skripts s ON s.id = e.skript_id
       WHERE e.id = $1`,
      [id],
    );
    if (!row?.is_held) return null;
    return row.is_judged ? 'broken' : 'unjudged';
  }

  /** Returns a filter of the rows of a skript that exports may contain; null if they may contain all. */
  async exportedRows(skriptId: string): Promise<{ _run: object } | null> {
    const [row] = await this.dataSource.query<{ held: string[]; newest: string | null }[]>(
      `SELECT ARRAY(SELECT execution_id::text FROM run_profiles WHERE skript_id = $1 AND is_held
         UNION SELECT e.id::text FROM skripts s JOIN live_runs r ON r.owner_id = s.owner_id
           JOIN executions e ON e.id = r.execution_id AND e.skript_id = s.id
         WHERE s.id = $1 AND ${HOLDS}) AS held,
       (SELECT GREATEST((SELECT e.id FROM executions e WHERE e.owner_id = s.owner_id AND e.skript_id = s.id
           ORDER BY e.id DESC LIMIT 1), first_id_at(now()))
         FROM skripts s WHERE s.id = $1 AND ${HOLDS}) AS newest`,
      [skriptId],
    );
    const { held = [], newest = null } = row ?? {};
    if (held.length === 0 && newest === null) return null;
    // The rows of a run that starts while an export reads are held, too. The newest run may have been deleted.
    return { _run: { $nin: held, ...(newest !== null && { $not: { $gt: newest } }) } };
  }

  /**
   * Locks runs that wait for a verdict, the oldest first.
   *
   * @param ids only these, also if another backend must judge some of them first; null for all that no one judges
   * @param isLive whether to lock runs that have not ended, instead of those that have
   */
  lockUnjudged(
    manager: EntityManager,
    ids: string[] | null,
    { limit, isLive = false }: { limit: number; isLive?: boolean },
  ): Promise<UnjudgedRun[]> {
    return manager.query<UnjudgedRun[]>(
      `SELECT p.execution_id AS id, e.action, e.owner_id, e.skript_name, p.skript_id, p.input_key, p.profile, p.examples,
         s.rows AS contract
       FROM run_profiles p LEFT JOIN executions e ON e.id = p.execution_id LEFT JOIN skripts s ON s.id = p.skript_id
       WHERE p.verdict IS NULL AND ($1::uuid[] IS NULL OR p.execution_id = ANY($1))
         AND ${isLive ? '' : 'NOT'} EXISTS (SELECT FROM live_runs r WHERE r.execution_id = p.execution_id)
       ORDER BY p.execution_id LIMIT $2 FOR UPDATE OF p ${ids ? '' : 'SKIP LOCKED'}`,
      [ids, limit],
    );
  }

  /** Returns the ids of runs that wait for a verdict, the oldest first. */
  async unjudged(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT p.execution_id AS id FROM run_profiles p
       WHERE p.verdict IS NULL AND NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = p.execution_id)
       ORDER BY p.execution_id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns, for each run, the latest good runs before it with the same skript and input. */
  async earlierGoodRuns(manager: EntityManager, runs: UnjudgedRun[]): Promise<Map<string, JudgedRun[]>> {
    const rows = await manager.query<(JudgedRun & { of: string })[]>(
      `SELECT r.id AS of, p.* FROM ${RUNS} CROSS JOIN LATERAL (
         SELECT execution_id AS id, profile, is_good, verdict->>'accepted_at' IS NOT NULL AS is_accepted FROM run_profiles
         WHERE skript_id = r.skript_id AND input_key = r.input_key AND execution_id < r.id AND is_good
           AND verdict IS NOT NULL
         ORDER BY execution_id DESC LIMIT ${MAX_EARLIER}) p`,
      columnsOf(runs),
    );
    const earlier = new Map<string, JudgedRun[]>();
    for (const { of, ...run } of rows) earlier.set(of, [...(earlier.get(of) ?? []), run]);
    return earlier;
  }

  /** Saves verdicts. The rows with a key of runs that are good are merged into items then. */
  async saveVerdicts(manager: EntityManager, verdicts: Map<string, ShownVerdict>): Promise<void> {
    const all = [...verdicts.values()];
    await manager.query(
      `WITH judged AS (
         UPDATE run_profiles p SET verdict = v.verdict::json, is_good = v.is_good, is_held = v.is_held, examples = NULL
         FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[]) AS v(id, verdict, is_good, is_held)
         WHERE p.execution_id = v.id
         RETURNING p.execution_id, p.is_good),
       ${makeMergesDue('judged')}`,
      [[...verdicts.keys()], all.map(jsonForPostgres), all.map(isGood), all.map(verdict => verdict.is_held === true)],
    );
  }

  /** Returns the verdicts of those runs that have one. */
  async verdictsOf(manager: EntityManager, ids: string[]): Promise<[string, ShownVerdict][]> {
    const rows = await manager.query<{ id: string; verdict: ShownVerdict }[]>(
      `SELECT execution_id AS id, verdict FROM run_profiles WHERE execution_id = ANY($1::uuid[]) AND verdict IS NOT NULL`,
      [ids],
    );
    return rows.map(({ id, verdict }) => [id, verdict]);
  }

  /** Locks the verdict on a run. Returns undefined if there is none. */
  async lockVerdict(
    manager: EntityManager,
    ownerId: string,
    id: string,
  ): Promise<(AcceptedRun & { verdict: ShownVerdict }) | undefined> {
    const [row] = await manager.query<(AcceptedRun & { verdict: ShownVerdict })[]>(
      `SELECT p.verdict, p.skript_id, p.input_key, e.owner_id, e.skript_name, e.updated_at AS ended_at FROM run_profiles p JOIN executions e ON e.id = p.execution_id
       WHERE p.execution_id = $1 AND e.owner_id = $2 AND p.verdict IS NOT NULL FOR UPDATE OF p`,
      [id, ownerId],
    );
    return row;
  }

  /**
   * Replaces the profiles of runs that cannot be judged, because they would keep later runs from their verdicts.
   * Returns those whose rows exports leave out until their verdict.
   */
  async replaceProfiles(manager: EntityManager, ids: string[]): Promise<string[]> {
    const [rows] = await manager.query<[{ id: string; is_held: boolean }[], number]>(
      `UPDATE run_profiles SET profile = '${UNJUDGED}', examples = NULL
       WHERE execution_id = ANY($1::uuid[]) AND verdict IS NULL RETURNING execution_id AS id, is_held`,
      [ids],
    );
    return rows.filter(({ is_held }) => is_held).map(({ id }) => id);
  }

  async delete(manager: EntityManager, ids: string[]): Promise<void> {
    await manager.query(
      `WITH unmerged AS (DELETE FROM run_merges WHERE execution_id = ANY($1::uuid[]))
       DELETE FROM run_profiles WHERE execution_id = ANY($1::uuid[])`,
      [ids],
    );
  }

  /**
   * Deletes the profiles of runs whose partition has been dropped: those that are older than all runs. A run that is
   * deleted in another way takes its profile with it. Deletes the marks of held rows of skripts that are gone, too.
   */
  async deleteOfDroppedRuns(): Promise<void> {
    await this.dataSource.query(
      `WITH ${deleteProfiles('execution_id < (SELECT id FROM executions ORDER BY id LIMIT 1)')}
       DELETE FROM run_profiles p WHERE is_held AND NOT EXISTS (SELECT FROM skripts s WHERE s.id = p.skript_id)
         AND NOT EXISTS (SELECT FROM executions e WHERE e.id = p.execution_id)`,
    );
  }
}

/** SQL: the runs of `columnsOf`. */
const RUNS = 'unnest($1::uuid[], $2::uuid[], $3::text[]) AS r(id, skript_id, input_key)';

const columnsOf = (runs: UnjudgedRun[]): string[][] => [
  runs.map(run => run.id),
  runs.map(run => run.skript_id),
  runs.map(run => run.input_key),
];

/** Whether later runs are compared with a run. */
export const isGood = ({ level, is_held, accepted_at }: ShownVerdict): boolean =>
  (level !== 'broken' && !is_held) || accepted_at !== undefined;
