import type { Environment, WaitingReason } from '@trawl/contracts';
import type { DataSource } from 'typeorm';
import type { ResolutionProgress } from '../../skripts/bundles/locks.service.js';
import type { WaitingRow } from '../records/execution-rows.js';

/** A run that was accepted before its bundle was built. */
export interface UnbuiltRun {
  id: string;
  owner_id: string;
  skript_id: string;
  /** The requested worker; null for `any`. */
  worker_id: string | null;
}

/** The columns that a run gets when its bundle is built. */
export interface Built {
  bundleHash: string | null;
  environment: Environment;
  /** Why it waits from now on. */
  reason: WaitingReason;
}

/**
 * SQL on `live_runs r`: whether the backend `builder` must build its bundle, because the backend that would is gone, or
 * because it does not know that the run is its own.
 */
const isAdoptable = (builder: string, known: string): string =>
  `r.builder IS NOT NULL AND r.execution_id <> ALL(${known}::uuid[]) AND (r.builder = ${builder}::uuid
     OR NOT EXISTS (SELECT FROM backends b WHERE b.id = r.builder AND b.seen_at > now() - interval '15 s'))`;

/**
 * Returns an SQL expression: whether the builder knows of runs, which may have ended, or must adopt some.
 * @param builder placeholder of the id of the backend.
 * @param known placeholder of the ids of the runs that it knows.
 */
export const findBuilderWork = (builder = '', known = ''): string =>
  `cardinality(${known}::uuid[]) > 0 OR EXISTS (SELECT FROM live_runs r WHERE ${isAdoptable(builder, known)})`;

/**
 * Makes this backend the builder of the runs whose builder is gone, and returns them. Also returns its own runs that are
 * not in `known`: their start was committed, but the answer of the commit was lost.
 */
export async function adoptUnbuilt(dataSource: DataSource, builder: string, known: string[]): Promise<UnbuiltRun[]> {
  const [rows] = await dataSource.query<[UnbuiltRun[], number]>(
    `UPDATE live_runs r SET builder = $1, waiting_place = NULL, waiting_of = NULL, waiting_packages = NULL FROM executions e
     WHERE e.id = r.execution_id AND ${isAdoptable('$1', '$2')}
     RETURNING e.id, e.owner_id, e.skript_id, r.worker_id`,
    [builder, known],
  );
  return rows;
}

/** Returns which of these runs still wait for their bundle, and have this backend as their builder. */
export async function findUnbuilt(dataSource: DataSource, builder: string, ids: string[]): Promise<Set<string>> {
  const rows = await dataSource.query<{ id: string }[]>(
    'SELECT execution_id AS id FROM live_runs WHERE execution_id = ANY($1::uuid[]) AND builder = $2',
    [ids, builder],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Records how far the resolution of the libraries of runs is, if this backend is still their builder. */
export async function setProgress(
  dataSource: DataSource,
  builder: string,
  ids: string[],
  progress: ResolutionProgress,
): Promise<(WaitingRow & { now: Date })[]> {
  const { place, of, packages } = { place: null, of: null, packages: null, ...progress };
  return dataSource.query<(WaitingRow & { now: Date })[]>(
    `WITH moved AS (
       UPDATE live_runs SET waiting_place = $3, waiting_of = $4, waiting_packages = $5
       WHERE execution_id = ANY($1::uuid[]) AND builder = $2
       RETURNING execution_id, waiting_reason, waiting_since, waiting_place, waiting_of,
         waiting_packages)
     SELECT e.id, e.owner_id, e.worker_id, e.action, moved.waiting_reason, moved.waiting_since, moved.waiting_place,
       moved.waiting_of, moved.waiting_packages, now() AS now FROM moved JOIN executions e ON e.id = moved.execution_id`,
    [ids, builder, place, of, packages],
  );
}

/** Gives runs their bundle, if this backend is still their builder. From now on they wait for a worker. */
export async function giveBundle(
  dataSource: DataSource,
  builder: string,
  ids: string[],
  { bundleHash, environment, reason }: Built,
): Promise<WaitingRow[]> {
  const [rows] = await dataSource.query<[WaitingRow[], number]>(
    `WITH built AS (
       UPDATE live_runs SET builder = NULL, environment = $3, waiting_reason = $4, waiting_since = now()
       WHERE execution_id = ANY($1::uuid[]) AND builder = $2 RETURNING execution_id, waiting_reason, waiting_since)
     UPDATE executions e SET bundle_hash = $5, updated_at = now() FROM built WHERE e.id = built.execution_id
     RETURNING e.id, e.owner_id, e.worker_id, e.action, built.waiting_reason, built.waiting_since`,
    [ids, builder, environment, reason, bundleHash],
  );
  return rows;
}
