import { Injectable } from '@nestjs/common';
import { LIVE_ACTIONS } from '@trawl/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { MAX_EARLIER } from './judgement/judge.js';
import type { ShownVerdict } from './judgement/verdict.js';
import type { RunProfile } from './profile/run-profile.js';
import { INPUT_KEY } from './profiles-sql.js';

/** SQL: whether runs that have ended wait for a verdict. */
export const HAS_UNJUDGED = `EXISTS (SELECT FROM run_profiles p
  WHERE p.verdict IS NULL AND NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = p.execution_id))`;

/** Rows of a run, by dataset, collection and table. */
export type Examples = Record<string, object[]>;

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
}

/** Statements of the table `run_profiles`. */
@Injectable()
export class VerdictsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Saves the profile of a run that is about to end. Does nothing if the run belongs to another worker. */
  async saveProfile(workerId: string, id: string, profile: RunProfile, examples: Examples): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'profile of a run',
      `INSERT INTO run_profiles (execution_id, skript_id, input_key, profile, examples)
       SELECT e.id, e.skript_id, ${INPUT_KEY}, $3, $4 FROM executions e
       WHERE e.id = $1 AND e.worker_id = $2 AND e.action = ANY($5) ON CONFLICT DO NOTHING`,
      [id, workerId, JSON.stringify(profile), JSON.stringify(examples), LIVE_ACTIONS],
    );
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /**
   * Locks runs that have ended and wait for a verdict, the oldest first. Other backends skip them.
   *
   * @param ids only these; null for all
   */
  lockUnjudged(manager: EntityManager, ids: string[] | null, limit: number): Promise<UnjudgedRun[]> {
    return manager.query<UnjudgedRun[]>(
      `SELECT p.execution_id AS id, e.action, e.owner_id, e.skript_name, p.skript_id, p.input_key, p.profile, p.examples
       FROM run_profiles p LEFT JOIN executions e ON e.id = p.execution_id
       WHERE p.verdict IS NULL AND ($1::uuid[] IS NULL OR p.execution_id = ANY($1))
         AND NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = p.execution_id)
       ORDER BY p.execution_id LIMIT $2 FOR UPDATE OF p SKIP LOCKED`,
      [ids, limit],
    );
  }

  /**
   * Returns the profiles of the latest good runs with the same skript and input, the oldest first. If the owner has
   * accepted a verdict, that run is the first.
   */
  async earlierProfiles(manager: EntityManager, run: UnjudgedRun): Promise<RunProfile[]> {
    const rows = await manager.query<{ profile: RunProfile; is_accepted: boolean }[]>(
      `SELECT profile, verdict->>'accepted_at' IS NOT NULL AS is_accepted FROM run_profiles
       WHERE skript_id = $1 AND input_key = $2 AND execution_id < $3 AND is_good AND verdict IS NOT NULL
       ORDER BY execution_id DESC LIMIT ${MAX_EARLIER}`,
      [run.skript_id, run.input_key, run.id],
    );
    const accepted = rows.findIndex(({ is_accepted }) => is_accepted);
    const comparable = accepted < 0 ? rows : rows.slice(0, accepted + 1);
    return comparable.map(({ profile }) => profile).reverse();
  }

  /** Tells whether the run before with the same skript and input is broken. */
  async wasBroken(manager: EntityManager, run: UnjudgedRun): Promise<boolean> {
    const [before] = await manager.query<{ is_good: boolean }[]>(
      `SELECT is_good FROM run_profiles
       WHERE skript_id = $1 AND input_key = $2 AND execution_id < $3 AND verdict IS NOT NULL
       ORDER BY execution_id DESC LIMIT 1`,
      [run.skript_id, run.input_key, run.id],
    );
    return before?.is_good === false;
  }

  async saveVerdict(manager: EntityManager, id: string, verdict: ShownVerdict): Promise<void> {
    await manager.query('UPDATE run_profiles SET verdict = $2, is_good = $3, examples = NULL WHERE execution_id = $1', [
      id,
      JSON.stringify(verdict, withoutNul),
      verdict.level !== 'broken' || verdict.accepted_at !== undefined,
    ]);
  }

  /** Locks the verdict on a run. Returns null if there is none. */
  async lockVerdict(manager: EntityManager, ownerId: string, id: string): Promise<ShownVerdict | null> {
    const [row] = await manager.query<{ verdict: ShownVerdict }[]>(
      `SELECT p.verdict FROM run_profiles p JOIN executions e ON e.id = p.execution_id
       WHERE p.execution_id = $1 AND e.owner_id = $2 AND p.verdict IS NOT NULL FOR UPDATE OF p`,
      [id, ownerId],
    );
    return row?.verdict ?? null;
  }

  async delete(manager: EntityManager, ids: string[]): Promise<void> {
    await manager.query('DELETE FROM run_profiles WHERE execution_id = ANY($1::uuid[])', [ids]);
  }

  /** Deletes the profiles of runs that have been deleted. */
  async deleteWithoutRuns(): Promise<void> {
    await this.dataSource.query(
      'DELETE FROM run_profiles p WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = p.execution_id)',
    );
  }
}

/** PostgreSQL cannot read fields of JSON with a NUL character. */
const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value;
