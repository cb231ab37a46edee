import { createHash } from 'node:crypto';
import { RECORD_NOT_SENT } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import type { Config } from '../../../platform/common/config.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { type QuotaRefusal, quotaExceeded } from '../../../platform/quotas/quota-refusal.js';
import { COUNT_RUNS, REMAINING_RUNS } from '../../../platform/quotas/run-quota.js';
import { isSandboxSufficient, mayUseWorker } from '../../workers/worker-access.js';
import { ON_BROKEN } from '../verdicts/profiles-sql.js';
import type { Inserted, PreparedStart, Value } from './prepared-start.js';
import { claimStartKey, releaseStartKeys } from './start-keys.repository.js';

/**
 * The payloads of one statement have at most this many bytes in total. The statement needs several times this memory:
 * it contains the payloads as hexadecimal text, twice as long, and this process and PostgreSQL make copies of it.
 */
const STATEMENT_BYTES = 4 * 1024 * 1024;

/**
 * Only up to this many starts are inserted with the prepared statement. Its plan is the same for any number of starts
 * and is slow for many.
 */
const MAX_PREPARED = 20;

/** A larger input that a start sent as a value is not kept with the run. */
const MAX_INPUT_VALUE_BYTES = 64 * 1024;

/** Returns the JSON text of an input that the run keeps, so that the run can be repeated. A saved input is not copied. */
const repeatableValue = (input: Value | null): string | null =>
  input?.id === null && Buffer.byteLength(input.json) <= MAX_INPUT_VALUE_BYTES ? input.json : null;

/** The columns of `start` in the SQL below: the name, the type in PostgreSQL, and the value for a start. */
const START_COLUMNS: [name: string, type: string, of: (start: PreparedStart) => unknown][] = [
  ['id', 'uuid', ({ id }) => id],
  ['owner_id', 'uuid', ({ ownerId }) => ownerId],
  ['worker_id', 'uuid', ({ target }) => target.workerId],
  ['on_any', 'boolean', ({ request }) => request.workerId === 'any'],
  ['environment', 'text', ({ skript }) => skript.environment],
  ['boot_id', 'uuid', ({ target }) => target.boot?.id ?? null],
  ['epoch', 'bigint', ({ target }) => target.boot?.epoch ?? null],
  ['live_key', 'bytea', ({ liveKey }) => liveKey],
  ['other_live_key', 'bytea', ({ otherLiveKey }) => otherLiveKey ?? null],
  ['forced', 'boolean', ({ request }) => request.force],
  ['time_limit_ms', 'integer', ({ attempts }) => attempts.timeoutMs],
  ['waiting_reason', 'text', ({ target }) => target.waiting],
  ['payload', 'bytea', ({ payload }) => payload],
  ['skript_id', 'uuid', ({ skript }) => skript.id],
  ['skript_name', 'text', ({ skript }) => skript.title],
  ['skript_category', 'text', ({ skript }) => skript.category],
  ['bundle_hash', 'text', ({ skript }) => skript.bundleHash],
  ['builder', 'uuid', ({ builder }) => builder],
  ['input_id', 'uuid', ({ input }) => input?.id ?? null],
  ['input_name', 'text', ({ input }) => input?.name ?? null],
  ['input_value', 'text', ({ input }) => repeatableValue(input)],
  ['input_secret_id', 'uuid', ({ inputSecret }) => inputSecret?.id ?? null],
  ['input_secret_name', 'text', ({ inputSecret }) => inputSecret?.name ?? null],
  ['schedule_id', 'uuid', ({ request }) => request.scheduleId ?? null],
  ['replay_of', 'uuid', ({ request }) => request.replay?.of ?? null],
  ['record', 'text', ({ values }) => (values.record ? JSON.stringify(RECORD_NOT_SENT) : null)],
  ['retries_left', 'integer', ({ attempts }) => attempts.retries],
  ['retry_delay_ms', 'integer', ({ attempts }) => attempts.retryDelayMs],
  ['expected_version', 'xid', ({ expected }) => expected?.skriptVersion ?? null],
  ['expected_key', 'bytea', ({ expected }) => expected?.workerKey ?? null],
];
const names = START_COLUMNS.map(([name]) => name);

/**
 * The `sent` step hides the lengths of the arrays from PostgreSQL's planner. Otherwise PostgreSQL would plan each
 * statement again, which takes three times as long as executing it.
 */
const START = `sent AS MATERIALIZED (
    SELECT ${START_COLUMNS.map(([name, type], index) => `$${index + 1}::${type}[] AS ${name}`).join(', ')}),
  start AS MATERIALIZED (
    SELECT start.* FROM sent, unnest(${names.map(name => `sent.${name}`).join(', ')})
      WITH ORDINALITY AS start (${names.join(', ')}, n))`;

/**
 * Writes the two rows of each run (`executions` and `live_runs`). Writes nothing for a start if the same run is already
 * live, if the account has reached a quota, or if skript or worker differ from what the start expects. For each live
 * key, the statement may contain only one start without `force`, and this start must come first.
 *
 * The skript's row is locked. So a concurrent deletion of the skript either finishes first, or waits and then finds the
 * live run. Skripts, accounts and live keys are each locked in a fixed order, so that concurrent statements cannot
 * cause a deadlock.
 */
const INSERT_RUNS = `WITH ${START},
  skript AS MATERIALIZED (
    SELECT id, xmin AS version, ${ON_BROKEN} AS on_broken FROM skripts s WHERE id = ANY($${names.indexOf('skript_id') + 1}::uuid[]) ORDER BY id FOR KEY SHARE),
  quota AS MATERIALIZED (
    SELECT account.owner_id, runs.* FROM (
      SELECT DISTINCT owner_id FROM start JOIN skript ON skript.id = start.skript_id ORDER BY owner_id) account,
      ${REMAINING_RUNS('account.owner_id', [`$${names.length + 1}`, `$${names.length + 2}`, `$${names.length + 3}`])}),
  looked AS MATERIALIZED (
    SELECT start.*, skript.id IS NOT NULL AS has_skript, skript.on_broken, remaining, refusal, started_before, waiting_room,
      waiting_refusal, w.name AS worker_name,
      w.key_hash AS worker_key,
      expected_version IS NULL OR expected_version = skript.version AND expected_key = w.key_hash
        AND ${mayUseWorker('w.id', 'start.owner_id')} AND ${isSandboxSufficient('w.id', 'start.owner_id')} AS is_as_expected,
      CASE WHEN NOT forced THEN (SELECT execution_id FROM live_runs r WHERE r.live_key IN (start.live_key, start.other_live_key) LIMIT 1) END AS running
    FROM start LEFT JOIN skript ON skript.id = start.skript_id LEFT JOIN quota ON quota.owner_id = start.owner_id
      LEFT JOIN workers w ON w.id = start.worker_id),
  considered AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY owner_id, is_open ORDER BY n) > remaining AS is_too_many,
      boot_id IS NULL AND count(*) FILTER (WHERE boot_id IS NULL) OVER (PARTITION BY owner_id, is_open ORDER BY n) > waiting_room
        AS must_not_wait
    FROM (SELECT *, has_skript AND is_as_expected AND running IS NULL AS is_open FROM looked) looked),
  live AS (
    INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, waiting_since, payload, schedule_id, retries_left, retry_delay_ms, builder, on_broken)
    SELECT id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, CASE WHEN waiting_reason IS NULL THEN NULL ELSE now() END, payload, schedule_id,
      retries_left, retry_delay_ms, builder, CASE WHEN replay_of IS NULL THEN on_broken END
    FROM considered WHERE is_open AND is_too_many IS NOT TRUE AND must_not_wait IS NOT TRUE ORDER BY live_key
    ON CONFLICT (live_key) WHERE NOT forced DO NOTHING RETURNING execution_id),
  counted AS (${COUNT_RUNS('live JOIN considered ON considered.id = live.execution_id')}),
  run AS (
    INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_value, input_secret_id, input_secret_name, schedule_id, replay_of, record, action, started_at)
    SELECT id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_value::json, input_secret_id, input_secret_name, schedule_id, replay_of, record::json, 'start', CASE WHEN boot_id IS NOT NULL THEN now() END
    FROM live JOIN considered ON considered.id = live.execution_id
    RETURNING id)
  SELECT run.id IS NOT NULL AS is_inserted, has_skript, CASE WHEN is_as_expected THEN running END AS running, worker_key,
    CASE WHEN is_open AND is_too_many THEN refusal WHEN is_open AND must_not_wait THEN waiting_refusal END AS refusal
  FROM considered LEFT JOIN run ON run.id = considered.id ORDER BY n`;

interface Row {
  is_inserted: boolean;
  has_skript: boolean;
  running: string | null;
  refusal: QuotaRefusal | null;
  worker_key: Buffer | null;
}

/**
 * Writes the rows of runs within the caller's transaction, which stays usable after a refusal. Starts with an
 * idempotency key need the transaction, because key and rows must be committed together.
 * @returns the result of each start: its id, or 404 for a deleted skript, 409, 429 `quota_exceeded`.
 */
export async function insertRuns(
  manager: EntityManager,
  starts: PreparedStart[],
  quotas: Config['quotas'],
): Promise<Inserted[]> {
  const inserted = new Map<PreparedStart, Inserted>();
  for (const start of starts) {
    const earlier = await claim(manager, start);
    if (earlier !== null) inserted.set(start, earlier);
  }
  let open = starts.filter(start => !inserted.has(start));
  // A start has no result yet if a concurrent start or end interfered with it. It is tried again until it has a result;
  // each time it can only be another run that interferes.
  while (open.length > 0) {
    for (const part of partsOf(open)) {
      const results = await insertTogether(manager, part, quotas);
      part.forEach((start, index) => {
        const result = results[index] ?? null;
        if (result !== null) inserted.set(start, result);
      });
    }
    const refused = open.filter(start => inserted.get(start) instanceof ApiError);
    await releaseStartKeys(manager, refused.flatMap(keyOf));
    open = open.filter(start => !inserted.has(start));
  }
  return starts.map(start => inserted.get(start) as Inserted);
}

/**
 * Writes the rows of runs in one statement, for starts without an idempotency key.
 * @returns the result of each start; null if a concurrent start interfered, or if the start was prepared from
 *   outdated lookups. Insert or prepare that start again.
 */
export async function insertTogether(
  manager: EntityManager,
  starts: PreparedStart[],
  quotas: Config['quotas'],
): Promise<(Inserted | null)[]> {
  const { leaders, followers } = byLiveKey(starts);
  const values = [...columnsOf(leaders), quotas.runs_at_once, quotas.runs_per_day, quotas.waiting_runs];
  const rows =
    manager.queryRunner || leaders.length > MAX_PREPARED
      ? await manager.query<Row[]>(INSERT_RUNS, values)
      : await preparedQuery<Row>(manager.connection, 'insert of runs', INSERT_RUNS, values);
  const isLost = (row: Row) => !row.is_inserted && row.has_skript && row.running === null && row.refusal === null;
  // Accounts with a start that was not inserted because a concurrent start interfered. It was counted for the quota all
  // the same, so a refusal of the account's other starts may be wrong.
  const uncertain = new Set(leaders.filter((_, index) => isLost(rows[index] as Row)).map(({ ownerId }) => ownerId));
  const results = new Map<PreparedStart, Inserted | null>();
  leaders.forEach((start, index) => {
    const { is_inserted, has_skript, running, refusal, worker_key } = rows[index] as Row;
    start.workerKey = worker_key;
    let result: Inserted | null = null;
    if (is_inserted) result = start.id;
    else if (running !== null) result = alreadyRunning(running);
    else if (!has_skript) result = notFound('skript', start.skript.id);
    else if (refusal !== null && !uncertain.has(start.ownerId)) result = quotaExceeded(refusal);
    results.set(start, result);
  });
  for (const [start, leader] of followers) {
    const result = results.get(leader) ?? null;
    // If the first start was refused and had `force`, the reason may not apply to a start without `force`. So this
    // start gets no result yet.
    if (typeof result === 'string') results.set(start, alreadyRunning(result));
    else results.set(start, leader.request.force ? null : result);
  }
  return starts.map(start => results.get(start) ?? null);
}

/**
 * Separates the starts without `force` that come after another start with the same live key (`followers`). They are
 * refused if that other start begins.
 */
function byLiveKey(starts: PreparedStart[]) {
  const firstOfKey = new Map<string, PreparedStart>();
  const leaders: PreparedStart[] = [];
  const followers = new Map<PreparedStart, PreparedStart>();
  for (const start of starts) {
    const key = start.liveKey.toString('base64');
    const first = firstOfKey.get(key);
    if (first && !start.request.force) {
      followers.set(start, first);
      continue;
    }
    leaders.push(start);
    if (!first) firstOfKey.set(key, start);
  }
  return { leaders, followers };
}

function partsOf(starts: PreparedStart[]): PreparedStart[][] {
  const parts: PreparedStart[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const start of starts) {
    bytes += start.payload.length;
    if (bytes > STATEMENT_BYTES) {
      parts.push([]);
      bytes = start.payload.length;
    }
    parts.at(-1)?.push(start);
  }
  return parts;
}

const columnsOf = (starts: PreparedStart[]): unknown[][] => START_COLUMNS.map(([, , of]) => starts.map(of));

const alreadyRunning = (execution_id: string): ApiError =>
  new ApiError(
    'already_running',
    'This skript is already running with the same worker, input and secret. Wait for it, stop it, or start with force=true.',
    { execution_id },
  );

/**
 * Claims the idempotency key of a start, if it has one.
 * @returns null if the start may continue; the id of the earlier execution if an earlier start had this key; a 409 if
 *   the earlier start had other values or its execution was deleted.
 */
async function claim(manager: EntityManager, start: PreparedStart): Promise<Inserted | null> {
  const { id, ownerId, request } = start;
  const key = request.idempotencyKey;
  if (key === undefined) return null;
  const first = await claimStartKey(manager, { ownerId, key, requests: digestsOf(start), executionId: id });
  if (typeof first !== 'string') return first;
  const [run] = await manager.query<unknown[]>('SELECT 1 FROM executions WHERE id = $1', [first]);
  return run ? first : runDeleted();
}

/** A refused start does not use up its idempotency key. */
const keyOf = ({ ownerId, request: { idempotencyKey: key } }: PreparedStart) =>
  key === undefined ? [] : [{ ownerId, key }];

/** Digests of the call as it was sent, by each secret. The skript's settings are left out, because they may change between two calls. */
const digestsOf = ({ liveKey, otherLiveKey, request }: PreparedStart): Buffer[] => {
  const { force, timeoutMs, retries, retryDelayMs, record, replay, version } = request;
  const others = record || replay ? [record ?? false, replay ?? null, version ?? null] : [];
  const options = JSON.stringify([force, timeoutMs ?? null, retries ?? null, retryDelayMs ?? null, ...others]);
  const keys = otherLiveKey ? [liveKey, otherLiveKey] : [liveKey];
  return keys.map(key => createHash('sha256').update(key).update(options).digest());
};

const runDeleted = (): ApiError =>
  new ApiError(
    'conflict',
    'The run started with this Idempotency-Key has been deleted. Use a new key to start another run.',
  );
