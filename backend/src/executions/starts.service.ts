import { Inject, Injectable } from '@nestjs/common';
import { type Environment, LIMITS, type WaitingReason } from '@trawl/contracts';
import type { Logger } from 'pino';
import { stringify } from 'safe-stable-stringify';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../auth/current-user.js';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError, notFound } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { keyReused } from '../idempotency/idempotent.js';
import { type QuotaRefusal, quotaExceeded } from '../quotas/quota-refusal.js';
import { COUNT_RUN, RUN_QUOTA } from '../quotas/run-quota.js';
import { BundlesService, type RunnableSkript } from '../skripts/bundles.service.js';
import { InputSecretsService } from '../skripts/input-secrets.service.js';
import { InputsService } from '../skripts/inputs.service.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { isContained, isOffered } from '../workers/who-may-use.js';
import { freeSlots, WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';
import { DispatcherService, type RunPayload } from './dispatcher.service.js';
import { ExecutionEvents } from './execution-events.js';

/** A stored input or secret, or one that came with the call (then it has no id). `json` is JSON text. */
interface Value {
  id: string | null;
  name: string | null;
  json: string;
}

export interface StartRequest {
  workerId: string;
  skriptId: string;
  force: boolean;
  /** Of the skript, unless said here. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  retryDelayMs?: number | undefined;
  idempotencyKey?: string;
  /** The schedule whose fire it is. */
  scheduleId?: string;
  input: { id: string } | { value: unknown } | null;
  inputSecret: { id: string } | { value: unknown } | null;
}

/** How long a try may take, and how many may follow it how long after. */
interface Tries {
  timeoutMs: number;
  retries: number;
  retryDelayMs: number;
}

export interface StartedRun extends Tries {
  id: string;
}

/** A start that was looked into and is still to be inserted. */
export interface PreparedStart {
  id: string;
  ownerId: string;
  request: StartRequest;
  skript: RunnableSkript;
  tries: Tries;
  target: Target;
  input: Value | null;
  inputSecret: Value | null;
}

interface Target {
  workerId: string | null;
  link: WorkerLink | null;
  waiting: WaitingReason | null;
}

interface CandidateWorker {
  id: string;
  environments: Environment[];
  key_hash: Buffer;
  online: boolean;
  contained: boolean;
}

/**
 * Writes both rows of a run, unless the same one is live already or the account has no room for it. The lock on the
 * skript's row makes a deletion wait for this start and find its live run, or go before it.
 */
const INSERT_RUN = `WITH skript AS (SELECT id FROM skripts WHERE id = $12::uuid FOR KEY SHARE),
       quota AS MATERIALIZED (SELECT room.* FROM skript, ${RUN_QUOTA('$2', '$22', '$23')} room),
       live AS (
         INSERT INTO live_runs (execution_id, owner_id, worker_id, on_any, environment, boot_id, epoch, live_key, forced,
           time_limit_ms, waiting_reason, waiting_since, payload, schedule_id,
           retries_left, retry_delay_ms)
         SELECT $1::uuid, $2::uuid, $3::uuid, $20::boolean, $4, $5::uuid, $6::bigint, $7::bytea, $8::boolean, $9::integer, $10::text,
           CASE WHEN $10::text IS NULL THEN NULL ELSE now() END, $11::bytea, $21::uuid, $24::integer, $25::integer
         FROM quota WHERE refusal IS NULL AND ($8 OR NOT EXISTS (SELECT 1 FROM live_runs WHERE live_key = $7))
         ON CONFLICT (live_key) WHERE NOT forced DO NOTHING RETURNING execution_id),
       counted AS (${COUNT_RUN('$2', 'live, quota')}),
       run AS (
         INSERT INTO executions (id, owner_id, worker_id, worker_name, skript_id, skript_name, skript_category, bundle_hash, input_id,
           input_name, input_secret_id, input_secret_name, schedule_id, action)
         SELECT execution_id, $2, $3, (SELECT w.name FROM workers w WHERE w.id = $3), $12::uuid, $13, $14, $15, $16::uuid, $17, $18::uuid, $19, $21::uuid, 'start' FROM live
         RETURNING id)
       SELECT (SELECT id FROM run) AS id, (SELECT refusal FROM quota) AS refusal`;

/** Of starts that are prepared together: what several of them ask for is looked up once. */
export class SharedLookups {
  readonly #found = new Map<string, Promise<unknown>>();

  once<T>(what: string, look: () => Promise<T>): Promise<T> {
    const found = (this.#found.get(what) as Promise<T> | undefined) ?? look();
    this.#found.set(what, found);
    return found;
  }
}

@Injectable()
export class StartsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bundles: BundlesService,
    private readonly inputs: InputsService,
    private readonly inputSecrets: InputSecretsService,
    private readonly connections: WorkerConnections,
    private readonly freeWorkers: FreeWorkersService,
    private readonly dispatcher: DispatcherService,
    private readonly secretBox: SecretBox,
    private readonly events: ExecutionEvents,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Commits a run together with the worker boot that it is offered to, then sends the offer.
   * @returns the execution's id; that of an earlier one when the idempotency key is known.
   * @throws {ApiError} 403 on a worker without the full sandbox, 404, 409 `already_running` or `idempotency_key_reused`, 413, 422 `main_missing`, `bundle_failed`, `environment_not_available`, 429 `quota_exceeded`.
   */
  async start(user: Pick<SessionUser, 'id'>, request: StartRequest): Promise<StartedRun> {
    const start = await this.prepare(user.id, request);
    let id: string;
    try {
      const insert = (manager: EntityManager) => this.insert(manager, start);
      // Without a key it is one statement, which is a transaction by itself.
      id = await (request.idempotencyKey === undefined
        ? insert(this.dataSource.manager)
        : this.dataSource.transaction(insert));
    } catch (error) {
      this.abandon(start);
      throw error;
    }
    if (id === start.id) this.begin(start);
    else this.abandon(start);
    return { id, ...start.tries };
  }

  /**
   * Everything that a start needs before its transaction, and a slot kept for it. Whoever prepares inserts, and then
   * begins or abandons it.
   * @param shared with other starts that are prepared at the same moment.
   * @throws {ApiError} as `start` does.
   */
  async prepare(ownerId: string, request: StartRequest, shared = new SharedLookups()): Promise<PreparedStart> {
    const skript = await shared.once(`skript ${ownerId} ${request.skriptId}`, () =>
      this.bundles.ensure(ownerId, request.skriptId),
    );
    const input = await this.#value(request.input, id => this.inputs.stored(ownerId, skript.id, id), 'input');
    const inputSecret = await this.#value(
      request.inputSecret,
      id => this.inputSecrets.stored(ownerId, skript.id, id),
      'inputSecret',
    );
    const target = await this.#target(ownerId, request.workerId, skript.environment, shared);
    const id = uuidv7();
    // Before the commit, so that two starts at once do not take the same slot.
    target.link?.reserved.add(id);
    const tries = {
      timeoutMs: request.timeoutMs ?? skript.timeoutMs,
      retries: request.retries ?? skript.retries,
      retryDelayMs: request.retryDelayMs ?? skript.retry_delay_ms,
    };
    return { id, ownerId, request, skript, tries, target, input, inputSecret };
  }

  /** After the commit: tells of the run and sends its offer. */
  begin({ id, ownerId, target }: PreparedStart): void {
    const now = new Date().toISOString();
    this.events.changes.next({
      id,
      owner_id: ownerId,
      worker_id: target.workerId,
      action: 'start',
      waiting_for: target.waiting ? { reason: target.waiting, since: now } : null,
      error_code: null,
      updated_at: now,
    });
    if (target.link) {
      this.dispatcher.offer(target.link, [id]).catch(error => {
        this.logger.error({ err: error, execution: id }, 'an offer could not be sent; it is tried again in a second');
      });
    }
  }

  /** Nothing was inserted, or it was rolled back: the slot is free again. */
  abandon({ id, target }: PreparedStart): void {
    target.link?.reserved.delete(id);
  }

  /**
   * Writes the rows of a run, within the caller's transaction if it has one. A refusal leaves that transaction usable.
   * @returns the execution's id; that of an earlier one when the idempotency key is known.
   * @throws {ApiError} 404 for a skript that has gone meanwhile, 409, 429 `quota_exceeded`.
   */
  async insert(manager: EntityManager, start: PreparedStart): Promise<string> {
    const { id, ownerId, request, skript, tries, target, input, inputSecret: secret } = start;
    const liveKey = this.secretBox.digest(
      'live run',
      ownerId,
      request.workerId,
      skript.id,
      input ? canonical(input.json) : '',
      secret ? canonical(secret.json) : '',
    );
    if (request.idempotencyKey !== undefined) {
      const first = await claim(manager, ownerId, request.idempotencyKey, liveKey, id);
      if (first !== id) return first;
    }
    const payload: RunPayload = { input: input?.json ?? null, inputSecret: secret?.json ?? null };
    const values = [
      id,
      ownerId,
      target.workerId,
      skript.environment,
      target.link?.bootId ?? null,
      target.link?.epoch ?? null,
      liveKey,
      request.force,
      tries.timeoutMs,
      target.waiting,
      this.secretBox.seal(JSON.stringify(payload), id),
      skript.id,
      skript.title,
      skript.category,
      skript.bundleHash,
      input?.id ?? null,
      input?.name ?? null,
      secret?.id ?? null,
      secret?.name ?? null,
      request.workerId === 'any',
      request.scheduleId ?? null,
      this.config.quotas.runs_at_once,
      this.config.quotas.runs_per_day,
      tries.retries,
      tries.retryDelayMs,
    ];
    for (let attempts = 0; attempts < 2; attempts++) {
      const [started] = await manager.query<{ id: string | null; refusal: QuotaRefusal | null }[]>(INSERT_RUN, values);
      if (started?.id) return id;
      const [running] = await manager.query<{ execution_id: string }[]>(
        `SELECT execution_id FROM live_runs WHERE live_key = $1 LIMIT 1`,
        [liveKey],
      );
      if (running && !request.force) {
        throw new ApiError(
          'already_running',
          'This skript is already running with the same worker, input and secret. Wait for it, stop it, or start with force=true.',
          running,
        );
      }
      if (started?.refusal) throw quotaExceeded(started.refusal);
      // What was in the way has ended since: there is room now.
    }
    throw notFound('skript', skript.id);
  }

  /** Which worker gets the run, and whether it can begin at once. */
  async #target(ownerId: string, workerId: string, environment: Environment, shared: SharedLookups): Promise<Target> {
    if (environment === 'python') {
      throw new ApiError('environment_not_available', 'Skripts in Python cannot run yet. Use the environment nodejs.');
    }
    const candidates = await shared.once(`workers ${ownerId} ${workerId}`, () =>
      this.dataSource.query<CandidateWorker[]>(
        `SELECT c.id, c.environments, c.key_hash, (l.replica_id IS NOT NULL AND l.lease_until > now()) AS online,
           ${isContained('c.id', '$1')} AS contained
         FROM workers c LEFT JOIN worker_leases l ON l.worker_id = c.id
         WHERE ($2 = 'any' OR c.id::text = $2) AND ${isOffered('c.id', '$1')}`,
        [ownerId, workerId],
      ),
    );
    if (workerId !== 'any' && candidates.length === 0) throw notFound('worker', workerId);
    const contained = candidates.filter(worker => worker.contained);
    if (candidates.length > 0 && contained.length === 0) {
      const isComing = (await this.freeWorkers.stateOf(ownerId)) === 'waiting';
      throw new ApiError('forbidden', isComing ? FREE_WORKER_TO_COME : NOT_CONTAINED);
    }
    const able = contained.filter(worker => worker.environments.includes(environment));
    // A worker that never connected has not said yet what it can do.
    if (able.length === 0 && contained.some(worker => worker.environments.length > 0)) {
      throw new ApiError(
        'environment_not_available',
        `No worker that this run may use has the environment ${environment}. Choose another worker or environment.`,
      );
    }
    const link = able
      .flatMap(worker => {
        const link = this.connections.get(worker.id);
        // Another backend may have replaced its key: the connection is then about to be closed.
        return link?.keyHash.equals(worker.key_hash) ? link : [];
      })
      .sort((a, b) => freeSlots(b) - freeSlots(a))[0];
    if (link && freeSlots(link) > 0) return { workerId: link.workerId, link, waiting: null };
    // Not to be begun from here at once. Whoever holds a fitting worker takes it as soon as that has a slot.
    const isOnline = able.some(worker => worker.online);
    return {
      workerId: workerId === 'any' ? null : workerId,
      link: null,
      waiting: isOnline ? 'worker_full' : 'worker_offline',
    };
  }

  async #value(
    value: StartRequest['input'],
    stored: (id: string) => Promise<{ id: string; name: string; json: string }>,
    field: string,
  ): Promise<Value | null> {
    if (value === null) return null;
    if ('id' in value) return stored(value.id);
    const json = JSON.stringify(value.value);
    if (Buffer.byteLength(json) > LIMITS.inputBytes) {
      throw new ApiError('payload_too_large', `${field} is larger than ${LIMITS.inputBytes} bytes of JSON.`);
    }
    return { id: null, name: null, json };
  }
}

const FREE_WORKER_TO_COME =
  'Your free worker is still to come: your code needs one with the full sandbox, and none is connected. The first that is becomes yours by itself. ' +
  'Until then skripts can be written and bundled, and none can be started.';
const NOT_CONTAINED =
  'No worker that you chose has the full sandbox; on any other one only the accounts made at the first start may run skripts. Ask the administrator for a worker that has it.';

/**
 * Takes an idempotency key for this start.
 * @returns the id of the execution that the key stands for: this one's, or that of the first start with it.
 * @throws {ApiError} 409 `idempotency_key_reused` when the first start was for something else.
 */
async function claim(
  manager: EntityManager,
  ownerId: string,
  key: string,
  request: Buffer,
  id: string,
): Promise<string> {
  const [claimed] = await manager.query<unknown[]>(
    `INSERT INTO start_keys (owner_id, key, request, execution_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING key`,
    [ownerId, key, request, id],
  );
  if (claimed) return id;
  const [first] = await manager.query<{ execution_id: string; request: Buffer }[]>(
    `SELECT execution_id, request FROM start_keys WHERE owner_id = $1 AND key = $2`,
    [ownerId, key],
  );
  if (!first) throw new ApiError('conflict', 'This Idempotency-Key ran out just now. Try again.');
  if (first.request.equals(request)) return first.execution_id;
  throw keyReused();
}

/** The same text for the same JSON value, whatever the order of its keys. */
const canonical = (json: string): string => stringify(JSON.parse(json)) ?? '';
