import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { Config } from '../common/config.js';
import { ApiError, notFound } from '../common/errors.js';
import { preparedQuery } from '../common/prepared-query.js';
import { type QuotaRefusal, quotaExceeded } from '../quotas/quota-refusal.js';
import { COUNT_RUNS, RUN_ROOM } from '../quotas/run-quota.js';
import { claimStartKey } from './start-key.js';
import type { PreparedStart } from './starts.service.js';

/** The id of the execution, that of an earlier one when the idempotency key is known, or why there is none. */
export type Inserted = string | ApiError;

/** Of one statement: its text takes twice as many, several times over, in this process and in PostgreSQL. */
const STATEMENT_BYTES = 4 * 1024 * 1024;

/** A plan that was made without knowing how many there are is good for no more than these. */
const FEW = 20;

/** The columns of `start`, in the order of `columnsOf`, and the types of their arrays. */
const START_COLUMNS = [
  ['id', 'uuid'],
  ['owner_id', 'uuid'],
  ['worker_id', 'uuid'],
  ['on_any', 'boolean'],
  ['environment', 'text'],
  ['boot_id', 'uuid'],
  ['epoch', 'bigint'],
  ['live_key', 'bytea'],
  ['forced', 'boolean'],
  ['time_limit_ms', 'integer'],
  ['waiting_reason', 'text'],
  ['payload', 'bytea'],
  ['skript_id', 'uuid'],
  ['skript_name', 'text'],
  ['skript_category', 'text'],
  ['bundle_hash', 'text'],
  ['input_id', 'uuid'],
  ['input_name', 'text'],
  ['input_secret_id', 'uuid'],
  ['input_secret_name', 'text'],
  ['schedule_id', 'uuid'],
  ['retries_left', 'integer'],
  ['retry_delay_ms', 'integer'],
] as const;
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
 * Writes both rows of each run, unless the same one is live already or its account has no room for it. Of the same key
 * there may be one unforced start in it, and it comes first.
 *
 * The lock on a skript's row makes a deletion wait for the start and find its live run, or go before it. Skripts,
 * accounts and keys are each taken in their order, so that statements wait for each other and never in a circle.
 */
const INSERT_RUNS = `WITH ${START},
  skript AS MATERIALIZED (SELECT id FROM skripts WHERE id = ANY($13::uuid[]) ORDER BY id FOR KEY SHARE),
  quota AS MATERIALIZED (
    SELECT account.owner_id, room.* FROM (
      SELECT DISTINCT owner_id FROM start JOIN skript ON skript.id = start.skript_id ORDER BY owner_id) account,
      ${RUN_ROOM('account.owner_id', '$24', '$25')} room),
  looked AS MATERIALIZED (
    SELECT start.*, skript.id IS NOT NULL AS has_skript, room, refusal, started_before, w.name AS worker_name,
      w.key_hash AS worker_key,
      CASE WHEN NOT forced THEN (SELECT execution_id FROM live_runs r WHERE r.live_key = start.live_key LIMIT 1) END AS running
    FROM start LEFT JOIN skript ON skript.id = start.skript_id LEFT JOIN quota ON quota.owner_id = start.owner_id
      LEFT JOIN workers w ON w.id = start.worker_id),
  considered AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY owner_id, has_skript AND running IS NULL ORDER BY n) > room AS is_too_many
    FROM looked),
  live AS (
    INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, waiting_since, payload, schedule_id, retries_left, retry_delay_ms)
    SELECT id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
      time_limit_ms, waiting_reason, CASE WHEN waiting_reason IS NULL THEN NULL ELSE now() END, payload, schedule_id,
      retries_left, retry_delay_ms
    FROM considered WHERE has_skript AND running IS NULL AND is_too_many IS NOT TRUE ORDER BY live_key
    ON CONFLICT (live_key) WHERE NOT forced DO NOTHING RETURNING execution_id),
  counted AS (${COUNT_RUNS('live JOIN considered ON considered.id = live.execution_id')}),
  run AS (
    INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_secret_id, input_secret_name, schedule_id, action)
    SELECT id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash,
      input_id, input_name, input_secret_id, input_secret_name, schedule_id, 'start'
    FROM live JOIN considered ON considered.id = live.execution_id
    RETURNING id)
  SELECT run.id IS NOT NULL AS is_inserted, has_skript, running, worker_key,
    CASE WHEN is_too_many AND has_skript AND running IS NULL THEN refusal END AS refusal
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
 * @returns null for one that it could not settle: another start came between. That one is to be inserted again.
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

const columnsOf = (starts: PreparedStart[]): unknown[][] => [
  starts.map(({ id }) => id),
  starts.map(({ ownerId }) => ownerId),
  starts.map(({ target }) => target.workerId),
  starts.map(({ request }) => request.workerId === 'any'),
  starts.map(({ skript }) => skript.environment),
  starts.map(({ target }) => target.link?.bootId ?? null),
  starts.map(({ target }) => target.link?.epoch ?? null),
  starts.map(({ liveKey }) => liveKey),
  starts.map(({ request }) => request.force),
  starts.map(({ tries }) => tries.timeoutMs),
  starts.map(({ target }) => target.waiting),
  starts.map(({ payload }) => payload),
  starts.map(({ skript }) => skript.id),
  starts.map(({ skript }) => skript.title),
  starts.map(({ skript }) => skript.category),
  starts.map(({ skript }) => skript.bundleHash),
  starts.map(({ input }) => input?.id ?? null),
  starts.map(({ input }) => input?.name ?? null),
  starts.map(({ inputSecret }) => inputSecret?.id ?? null),
  starts.map(({ inputSecret }) => inputSecret?.name ?? null),
  starts.map(({ request }) => request.scheduleId ?? null),
  starts.map(({ tries }) => tries.retries),
  starts.map(({ tries }) => tries.retryDelayMs),
];

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
