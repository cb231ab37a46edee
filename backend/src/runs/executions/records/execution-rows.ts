import {
  type Action,
  isLive,
  type RecordSummary,
  type RequestedHost,
  type RunErrorCode,
  type RunWrite,
  type UsageSample,
  type WaitingFor,
  type WaitingReason,
} from '@trawl/contracts';
import type { ProxyUseDto } from '../../proxies/proxy-use.dto.js';
import { versionNumber } from '../../skripts/versions/version-number.js';
import type { ShownVerdict } from '../verdicts/judgement/verdict.js';
import {
  type ExecutionDto,
  LARGE_FIELDS,
  type ListedExecutionDto,
  type PlatformExecutionDto,
} from './executions.dto.js';

export interface ExecutionRow {
  id: string;
  worker_id: string | null;
  worker_name: string | null;
  skript_id: string;
  skript_name: string;
  skript_category: string;
  bundle_hash: string | null;
  version_number: number | null;
  input_id: string | null;
  input_name: string | null;
  input_value?: unknown;
  input_secret_id: string | null;
  input_secret_name: string | null;
  action: Action;
  waiting_reason: WaitingReason | null;
  waiting_since: Date | null;
  waiting_place: number | null;
  waiting_of: number | null;
  waiting_packages: number | null;
  run_after: Date | null;
  error_code: RunErrorCode | null;
  error_stack: string | null;
  output?: unknown;
  writes?: RunWrite[] | null;
  usage?: UsageSample[] | null;
  requests?: RequestedHost[] | null;
  proxy_use?: ProxyUseDto | null;
  attempt: number;
  retry_of: string | null;
  replay_of: string | null;
  record: RecordSummary | null;
  schedule_id: string | null;
  schedule_name: string | null;
  issue_id: string | null;
  verdict: ShownVerdict | null;
  last_seq: number;
  row_count: number;
  started_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The issue of a failed run. Other runs cost no look-up. */
const ISSUE = `CASE WHEN e.action = 'error' THEN (SELECT f.issue_id FROM failures f WHERE f.execution_id = e.id) END AS issue_id`;

const VERSION_NUMBER = `${versionNumber('e.skript_id', 'e.bundle_hash')} AS version_number`;

/** SQL: whether a run may have a verdict. Other runs cost no look-up. */
const MAY_BE_JUDGED = `e.action = 'end' OR e.error_code = 'rows_broken'`;

export const VERDICT = `CASE WHEN ${MAY_BE_JUDGED} THEN (SELECT p.verdict FROM run_profiles p WHERE p.execution_id = e.id) END AS verdict`;

/** The verdict as lists contain it: with only the worst finding, and without its rows, because all of them are large. */
export const LISTED_VERDICT = `CASE WHEN ${MAY_BE_JUDGED} THEN (
    SELECT v || jsonb_build_object('findings', CASE WHEN v #> '{findings,0}' IS NULL THEN '[]'
      ELSE jsonb_build_array(v #> '{findings,0}' || '{"rows": []}') END)
    FROM run_profiles p, CAST(p.verdict AS jsonb) v WHERE p.execution_id = e.id) END AS verdict`;

/** The level of the verdict on a run; `ok` if the owner has accepted its rows. */
export const VERDICT_LEVEL = `CASE WHEN e.action = 'end' THEN (
    SELECT CASE WHEN p.verdict->>'accepted_at' IS NULL THEN p.verdict->>'level' ELSE 'ok' END
    FROM run_profiles p WHERE p.execution_id = e.id) END AS verdict_level`;

export const COLUMNS = `e.id, e.worker_id, e.worker_name, e.skript_id, e.skript_name, e.skript_category, e.bundle_hash, ${VERSION_NUMBER},
  e.input_id, e.input_name, e.input_secret_id, e.input_secret_name, e.action, r.waiting_reason, r.waiting_since, r.waiting_place, r.waiting_of,
  r.waiting_packages, r.run_after, e.error_code, e.error_stack, e.attempt, e.retry_of, e.replay_of, e.record, e.schedule_id, c.name AS schedule_name, ${ISSUE}, e.last_seq, e.row_count, e.started_at,
  e.created_at, e.updated_at`;
export const JOINS = `LEFT JOIN live_runs r ON r.execution_id = e.id
  LEFT JOIN schedules c ON c.id = e.schedule_id`;
const LARGE = LARGE_FIELDS.map(name => `e.${name}`).join(', ');
/** The columns of an answer with a whole run. */
export const COMPLETE_COLUMNS = `${COLUMNS}, ${VERDICT}, ${LARGE}`;
/** The columns of `COMPLETE_COLUMNS` for an ended run. Use them in the RETURNING clause of an UPDATE of `executions e`. */
export const ENDED_COLUMNS = `e.id, e.owner_id, e.worker_id, e.worker_name, e.skript_id, e.skript_name, e.skript_category, e.bundle_hash, ${VERSION_NUMBER},
  e.input_id, e.input_name, e.input_secret_id, e.input_secret_name, e.action, NULL AS waiting_reason,
  NULL AS waiting_since, NULL AS waiting_place, NULL AS waiting_of, NULL AS waiting_packages, NULL AS run_after,
  e.error_code, e.error_stack, ${LARGE}, e.attempt, e.retry_of, e.replay_of, e.record, e.schedule_id,
  (SELECT c.name FROM schedules c WHERE c.id = e.schedule_id) AS schedule_name, NULL AS issue_id, NULL AS verdict, e.last_seq, e.row_count, e.started_at,
  e.created_at, e.updated_at`;

/**
 * Returns why and since when a run waits. Returns null for a paused run: it waits only to be resumed, which `action`
 * already says.
 */
export function waitingFor(
  row: Pick<ExecutionRow, 'action' | 'waiting_reason' | 'waiting_since' | 'run_after'> &
    Partial<Pick<ExecutionRow, 'waiting_place' | 'waiting_of' | 'waiting_packages'>>,
): WaitingFor | null {
  const { action, waiting_reason: reason, waiting_since: since, run_after: until } = row;
  if (action === 'pause' || !reason || !since) return null;
  const isScheduled = reason === 'retry_scheduled' && until;
  const { waiting_place: place, waiting_of: of, waiting_packages: packages } = row;
  const hasQueue = reason === 'libraries_resolving' || reason === 'libraries_installing';
  const progress = {
    ...(isScheduled ? { until: until.toISOString() } : {}),
    ...(hasQueue && place && of ? { place, of } : {}),
    ...(reason === 'libraries_resolving' && packages ? { packages } : {}),
  };
  return { reason, since: since.toISOString(), ...progress };
}

/** A run that began to wait, or waits for another reason. */
export interface WaitingRow {
  id: string;
  owner_id: string;
  worker_id: string | null;
  action: Action;
  waiting_reason: WaitingReason;
  waiting_since: Date;
  waiting_place?: number | null;
  waiting_of?: number | null;
  waiting_packages?: number | null;
}

/** Returns the change to publish for a run that waits. */
export const waitingChange = (row: WaitingRow) => ({
  id: row.id,
  owner_id: row.owner_id,
  worker_id: row.worker_id,
  action: row.action,
  waiting_for: waitingFor({ ...row, run_after: null }),
  updated_at: row.waiting_since,
});

export function toDto(row: ExecutionRow): ExecutionDto {
  return {
    id: row.id,
    worker: row.worker_id ? { id: row.worker_id, name: row.worker_name ?? '' } : null,
    skript: { id: row.skript_id, category: row.skript_category, name: row.skript_name },
    input: row.input_id ? { id: row.input_id, name: row.input_name ?? '' } : null,
    input_value: row.input_value,
    inputSecret: row.input_secret_id ? { id: row.input_secret_id, name: row.input_secret_name ?? '' } : null,
    action: row.action,
    waiting_for: waitingFor(row),
    error_code: row.error_code,
    error_stack: row.error_stack,
    output: row.output,
    attempt: row.attempt,
    retry_of: row.retry_of,
    replay_of: row.replay_of,
    // A worker sends the record just before the end. Until then, the run has none yet.
    record: isLive(row.action) && row.record?.bytes === 0 ? null : row.record,
    schedule: row.schedule_id ? { id: row.schedule_id, name: row.schedule_name ?? '' } : null,
    issue_id: row.issue_id,
    verdict: row.verdict,
    last_seq: row.last_seq,
    rows: row.row_count,
    writes: row.writes === undefined ? undefined : (row.writes ?? []),
    usage: row.usage === undefined ? undefined : (row.usage ?? []),
    requests: row.requests === undefined ? undefined : (row.requests ?? []),
    proxy_use: row.proxy_use,
    bundle_hash: row.bundle_hash,
    version_number: row.version_number,
    started_at: row.started_at?.toISOString() ?? null,
    // No statement changes `updated_at` after the end.
    ended_at: isLive(row.action) ? null : row.updated_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Returns a run as lists contain it. */
export function listedOf(run: ExecutionDto): ListedExecutionDto {
  const { output: _o, input_value: _v, writes: _w, usage: _u, requests: _r, proxy_use: _p, ...listed } = run;
  return listed;
}

export const toListedDto = (row: ExecutionRow): ListedExecutionDto => listedOf(toDto(row));

export type PlatformRow = Omit<ExecutionRow, 'verdict'> & { owner_id: string | null; username: string };

export function toPlatformDto({ owner_id, username, ...row }: PlatformRow): PlatformExecutionDto {
  const run = toListedDto({ ...row, verdict: null });
  const { input: _i, inputSecret: _s, error_stack: _e, verdict: _j, ...execution } = run;
  return { ...execution, owner: owner_id === null ? null : { id: owner_id, username } };
}
