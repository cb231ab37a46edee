import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Config } from '../common/config.js';
import { ApiError, notFound } from '../common/errors.js';
import { preparedQuery } from '../common/prepared-query.js';
import { type QuotaRefusal, quotaExceeded } from '../quotas/quota-refusal.js';
import { COUNT_RUNS, RUN_ROOM } from '../quotas/run-quota.js';
import { isContained, isOffered } from '../workers/who-may-use.js';
import { claimStartKey } from './start-key.js';
import type { PreparedStart } from './starts.service.js';

/** The id of the execution, that of an earlier one when the idempotency key is known, or why there is none. */
export type Inserted = string | ApiError;

/** Of one statement: its text takes twice as many, several times over, in this process and in PostgreSQL. */
const STATEMENT_BYTES = 4 * 1024 * 1024;

/** A plan that was made without knowing how many there are is good for no more than these. */
const FEW = 20;

/** The columns of `start`, the types of their arrays, and what each is. */
const START_COLUMNS: [name: string, type: string, of: (start: PreparedStart) => unknown][] = [
  ['id', 'uuid', ({ id }) => id],
  ['owner_id', 'uuid', ({ ownerId }) => ownerId],
  ['worker_id', 'uuid', ({ target }) => target.workerId],
  ['on_any', 'boolean', ({ request }) => request.workerId === 'any'],
  ['environment', 'text', ({ skript }) => skript.environment],
  ['boot_id', 'uuid', ({ target }) => target.link?.bootId ?? null],
  ['epoch', 'bigint', ({ target }) => target.link?.epoch ?? null],
  ['live_key', 'bytea', ({ liveKey }) => liveKey],
  ['forced', 'boolean', ({ request }) => request.force],
  ['time_limit_ms', 'integer', ({ tries }) => tries.timeoutMs],
  ['waiting_reason', 'text', ({ target }) => target.waiting],
  ['payload', 'bytea', ({ payload }) => payload],
  ['skript_id', 'uuid', ({ skript }) => skript.id],
  ['skript_name', 'text', ({ skript }) => skript.title],
  ['skript_category', 'text', ({ skript }) => skript.category],
  ['bundle_hash', 'text', ({ skript }) => skript.bundleHash],
  ['input_id', 'uuid', ({ input }) => input?.id ?? null],
  ['input_name', 'text', ({ input }) => input?.name ?? null],
  ['input_secret_id', 'uuid', ({ inputSecret }) => inputSecret?.id ?? null],
  ['input_secret_name', 'text', ({ inputSecret }) => inputSecret?.name ?? null],
  ['schedule_id', 'uuid', ({ request }) => request.scheduleId ?? null],
  ['retries_left', 'integer', ({ tries }) => tries.retries],
  ['retry_delay_ms', 'integer', ({ tries }) => tries.retryDelayMs],
  ['seen_version', 'xid', ({ seen }) => seen?.skriptVersion ?? null],
  ['seen_key', 'bytea', ({ seen }) => seen?.workerKey ?? null],
];
const names = START_COLUMNS.map(([name]) => name);

/**
 * The arrays come by way of `sent`, where the planner does not see how long they are: it would otherwise plan each
 * statement anew, which takes it three times as long as to carry it out.
 */
const START = `sent AS MATERIALIZED (
    SELECT ${START_COLUMNS.map(([name, type], index) => `$${index + 1}::${type}[] AS ${name}`).join(', ')}),
  start AS MATERIALIZED (
    SELECT start.* FROM sent, unnest(${names.map(name => `sent.${name}`).join(', ')})
      WITH ORDINALITY AS start (${names.join(', ')}, n))`;

/**
 * Writes both rows of each run, unless the same one is live already, its account has no room for it, or skript and worker
 * are not any more as they were seen. Of the same key there may be one unforced start in it, and it comes first.
 *
 * The lock on a skript's row makes a deletion wait for the start and find its live run, or go before it. Skripts,
 * accounts and keys are each taken in their order, so that statements wait for each other and never in a circle.
 */
const INSERT_RUNS = `WITH ${START},
  skript AS MATERIALIZED (
    SELECT id, xmin AS version FROM skripts WHERE id = ANY($${names.indexOf('skript_id') + 1}::uuid[]) ORDER BY id FOR KEY SHARE),
  quota AS MATERIALIZED (
    SELECT account.owner_id, room.* FROM (
      SELECT DISTINCT owner_id FROM start JOIN skript ON skript.id = start.skript_id ORDER BY owner_id) account,
      ${RUN_ROOM('account.owner_id', `$${names.length + 1}`, `$${names.length + 2}`)} room),
  looked AS MATERIALIZED (
    SELECT start.*, skript.id IS NOT NULL AS has_skript, room, refusal, started_before, w.name AS worker_name,
      w.key_hash AS worker_key,
      seen_version IS NULL OR seen_version = skript.version AND seen_key = w.key_hash
        AND ${isOffered('w.id', 'start.owner_id')} AND ${isContained('w.id', 'start.owner_id')} AS is_as_seen,
      CASE WHEN NOT forced THEN (SELECT execution_id FROM live_runs r WHERE r.live_key = start.live_key LIMIT 1) END AS running
    FROM start LEFT JOIN skript ON skript.id = start.skript_id LEFT JOIN quota ON quota.owner_id = start.owner_id
      LEFT JOIN workers w ON w.id = start.worker_id),
  considered AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY owner_id, is_open ORDER BY n) > room AS is_too_many
    FROM (SELECT *, has_skript AND is_as_seen AND running IS NULL AS is_open FROM looked) looked),
  live AS (
    INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, waiting_since, payload, schedule_id, retries_left, retry_delay_ms)
    SELECT id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, CASE WHEN waiting_reason IS NULL THEN NULL ELSE now() END, payload, schedule_id,
      retries_left, retry_delay_ms
    FROM considered WHERE is_open AND is_too_many IS NOT TRUE ORDER BY live_key
    ON CONFLICT (live_key) WHERE NOT forced DO NOTHING RETURNING execution_id),
  counted AS (${COUNT_RUNS('live JOIN considered ON considered.id = live.execution_id')}),
  run AS (
    INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_secret_id, input_secret_name, schedule_id, action)
    SELECT id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_secret_id, input_secret_name, schedule_id, 'start'
    FROM live JOIN considered ON considered.id = live.execution_id
    RETURNING id)
  SELECT run.id IS NOT NULL AS is_inserted, has_skript, CASE WHEN is_as_seen THEN running END AS running, worker_key,
    CASE WHEN is_open AND is_too_many THEN refusal END AS refusal
  FROM considered LEFT JOIN run ON run.id = considered.id ORDER BY n`;

interface Row {
  is_inserted: boolean;
  has_skript: boolean;
  running: string | null;
  refusal: QuotaRefusal | null;
  worker_key: Buffer | null;
}

/**
 * Writes the rows of runs, within the caller's transaction, which a refusal leaves usable. Starts with an idempotency
 * key need one: claim and rows hold together.
 * @returns one for each start: the id, or 404 for a skript that has gone meanwhile, 409, 429 `quota_exceeded`.
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
  // Whoever was in the way of one that is open still began or ended since: it is not the same ones again.
  while (open.length > 0) {
    for (const part of partsOf(open)) {
      const results = await insertTogether(manager, part, quotas);
      part.forEach((start, index) => {
        const result = results[index] ?? null;
        if (result !== null) inserted.set(start, result);
      });
    }
    const refused = open.filter(start => inserted.get(start) instanceof ApiError);
    await giveBack(manager, refused);
    open = open.filter(start => !inserted.has(start));
  }
  return starts.map(start => inserted.get(start) as Inserted);
}

/**
 * The same in one statement, for starts without an idempotency key.
 * @returns null for one that it could not settle: another start came between, or what it was prepared from is not so any
 *   more. That one is to be inserted again, or prepared again.
 */
export async function insertTogether(
  manager: EntityManager,
  starts: PreparedStart[],
  quotas: Config['quotas'],
): Promise<(Inserted | null)[]> {
  const { leaders, followers } = sortedOut(starts);
  const values = [...columnsOf(leaders), quotas.runs_at_once, quotas.runs_per_day];
  const rows =
    manager.queryRunner || leaders.length > FEW
      ? await manager.query<Row[]>(INSERT_RUNS, values)
      : await preparedQuery<Row>(manager.connection, 'insert of runs', INSERT_RUNS, values);
  const isLost = (row: Row) => !row.is_inserted && row.has_skript && row.running === null && row.refusal === null;
  // The room of these was kept for one that lost.
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
    // What refuses a forced start may be another reason than an unforced one has.
    if (typeof result === 'string') results.set(start, alreadyRunning(result));
    else results.set(start, leader.request.force ? null : result);
  }
  return starts.map(start => results.get(start) ?? null);
}

/** An unforced start that comes after another one of its key follows that: it is refused if that one begins. */
function sortedOut(starts: PreparedStart[]) {
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
 * Takes a start's idempotency key, if it has one.
 * @returns null when the start may go on; the id of the first start with the key, or 409 when there is none to join.
 */
async function claim(manager: EntityManager, start: PreparedStart): Promise<Inserted | null> {
  const { id, ownerId, request } = start;
  const key = request.idempotencyKey;
  if (key === undefined) return null;
  const first = await claimStartKey(manager, { ownerId, key, request: digestOf(start), executionId: id });
  if (typeof first !== 'string') return first;
  const [run] = await manager.query<unknown[]>('SELECT 1 FROM executions WHERE id = $1', [first]);
  return run ? first : runDeleted();
}

/** Of what was asked for, in the words of the call: a setting of the skript may change between two of them. */
const digestOf = ({ liveKey, request: { force, timeoutMs, retries, retryDelayMs } }: PreparedStart): Buffer =>
  createHash('sha256')
    .update(liveKey)
    .update(JSON.stringify([force, timeoutMs ?? null, retries ?? null, retryDelayMs ?? null]))
    .digest();

const runDeleted = (): ApiError =>
  new ApiError(
    'conflict',
    'The run that was started with this Idempotency-Key has been deleted since. Use a new key to start another one.',
  );

/** A refused start does not use up its idempotency key. */
async function giveBack(manager: EntityManager, refused: PreparedStart[]): Promise<void> {
  const keyed = refused.filter(({ request }) => request.idempotencyKey !== undefined);
  if (keyed.length === 0) return;
  await manager.query(
    `DELETE FROM start_keys k USING unnest($1::uuid[], $2::text[]) AS refused (owner_id, key)
     WHERE k.owner_id = refused.owner_id AND k.key = refused.key`,
    [keyed.map(({ ownerId }) => ownerId), keyed.map(({ request }) => request.idempotencyKey)],
  );
}
