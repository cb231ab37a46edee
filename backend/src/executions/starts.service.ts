import { Inject, Injectable } from '@nestjs/common';
import { type Environment, LIMITS, type WaitingReason } from '@trawl/contracts';
import type { Logger } from 'pino';
import { stringify } from 'safe-stable-stringify';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError, notFound } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { BundlesService, type RunnableSkript } from '../skripts/bundles.service.js';
import { InputSecretsService } from '../skripts/input-secrets.service.js';
import { InputsService } from '../skripts/inputs.service.js';
import { freeSlots, WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';
import { DispatcherService, type RunPayload, USABLE } from './dispatcher.service.js';
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
  idempotencyKey?: string;
  input: { id: string } | { value: unknown } | null;
  inputSecret: { id: string } | { value: unknown } | null;
}

interface Target {
  workerId: string | null;
  link: WorkerLink | null;
  waiting: WaitingReason | null;
}

interface CandidateWorker {
  id: string;
  environments: Environment[];
  online: boolean;
  free_slots: number | null;
}

@Injectable()
export class StartsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bundles: BundlesService,
    private readonly inputs: InputsService,
    private readonly inputSecrets: InputSecretsService,
    private readonly connections: WorkerConnections,
    private readonly dispatcher: DispatcherService,
    private readonly secretBox: SecretBox,
    private readonly events: ExecutionEvents,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Commits a run together with the worker boot that it is offered to, then sends the offer.
   * @returns the execution's id; that of an earlier one when the idempotency key is known.
   * @throws {ApiError} 404, 409 `already_running`, 413, 422 `main_missing`, `bundle_failed`, `environment_not_available`.
   */
  async start(user: SessionUser, request: StartRequest): Promise<{ id: string; timeoutMs: number }> {
    const skript = await this.bundles.ensure(user.id, request.skriptId);
    const input = await this.#value(request.input, id => this.inputs.stored(user.id, skript.id, id), 'input');
    const secret = await this.#value(
      request.inputSecret,
      id => this.inputSecrets.stored(user.id, skript.id, id),
      'inputSecret',
    );
    const target = await this.#target(user, request.workerId, skript.environment);
    const id = uuidv7();
    // Reserved before the commit, so that two starts at once do not take the same slot.
    target.link?.offered.add(id);
    let executionId: string;
    try {
      executionId = await this.dataSource.transaction(manager =>
        this.#insert(manager, id, user, request, skript, target, input, secret),
      );
    } catch (error) {
      target.link?.offered.delete(id);
      throw error;
    }
    if (executionId !== id) {
      target.link?.offered.delete(id);
      return { id: executionId, timeoutMs: skript.timeoutMs };
    }
    const now = new Date().toISOString();
    this.events.changes.next({
      id,
      owner_id: user.id,
      worker_id: target.workerId,
      action: 'start',
      waiting_for: target.waiting ? { reason: target.waiting, since: now } : null,
      error_code: null,
      updated_at: now,
    });
    if (target.link) {
      this.dispatcher.offer(target.link, [id]).catch(error => {
        this.logger.error(
          { err: error, execution: id },
          'an offer could not be sent; the next hello of the worker brings it',
        );
      });
    }
    return { id, timeoutMs: skript.timeoutMs };
  }

  async #insert(
    manager: EntityManager,
    id: string,
    user: SessionUser,
    request: StartRequest,
    skript: RunnableSkript,
    target: Target,
    input: Value | null,
    secret: Value | null,
  ): Promise<string> {
    if (request.idempotencyKey !== undefined) {
      const [claimed] = await manager.query<unknown[]>(
        `INSERT INTO start_keys (owner_id, key, execution_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING key`,
        [user.id, request.idempotencyKey, id],
      );
      if (!claimed) {
        const [first] = await manager.query<{ execution_id: string }[]>(
          `SELECT execution_id FROM start_keys WHERE owner_id = $1 AND key = $2`,
          [user.id, request.idempotencyKey],
        );
        if (first) return first.execution_id;
      }
    }
    const liveKey = this.secretBox.digest(
      'live run',
      user.id,
      request.workerId,
      skript.id,
      input ? canonical(input.json) : '',
      secret ? canonical(secret.json) : '',
    );
    const payload: RunPayload = { input: input?.json ?? null, inputSecret: secret?.json ?? null };
    // The lock on the skript's row makes a deletion wait for this start and find its live run, or go before it.
    const [inserted] = await manager.query<{ execution_id: string }[]>(
      `WITH skript AS (SELECT id FROM skripts WHERE id = $12::uuid FOR KEY SHARE),
       live AS (
         INSERT INTO live_runs (execution_id, owner_id, worker_id, environment, boot_id, epoch, live_key, forced,
           time_limit_ms, waiting_reason, waiting_since, payload)
         SELECT $1::uuid, $2::uuid, $3::uuid, $4, $5::uuid, $6::bigint, $7::bytea, $8::boolean, $9::integer, $10::text,
           CASE WHEN $10::text IS NULL THEN NULL ELSE now() END, $11::bytea
         FROM skript WHERE $8 OR NOT EXISTS (SELECT 1 FROM live_runs WHERE live_key = $7)
         ON CONFLICT (live_key) WHERE NOT forced DO NOTHING RETURNING execution_id)
       INSERT INTO executions (id, owner_id, worker_id, skript_id, skript_name, skript_category, bundle_hash, input_id,
         input_name, input_secret_id, input_secret_name, action)
       SELECT execution_id, $2, $3, $12::uuid, $13, $14, $15, $16::uuid, $17, $18::uuid, $19, 'start' FROM live
       RETURNING id AS execution_id`,
      [
        id,
        user.id,
        target.workerId,
        skript.environment,
        target.link?.bootId ?? null,
        target.link?.epoch ?? null,
        liveKey,
        request.force,
        skript.timeoutMs,
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
      ],
    );
    if (inserted) return id;
    const [running] = await manager.query<{ execution_id: string }[]>(
      `SELECT execution_id FROM live_runs WHERE live_key = $1 LIMIT 1`,
      [liveKey],
    );
    if (!running) throw new ApiError('conflict', 'The skript was deleted or its run ended just now. Try again.');
    throw new ApiError(
      'already_running',
      'This skript is already running with the same worker, input and secret. Wait for it, stop it, or start with force=true.',
      { execution_id: running.execution_id },
    );
  }

  /** Which worker gets the run, and whether it can begin at once. */
  async #target(user: SessionUser, workerId: string, environment: Environment): Promise<Target> {
    if (environment === 'python') {
      throw new ApiError('environment_not_available', 'Skripts in Python cannot run yet. Use the environment nodejs.');
    }
    const candidates = await this.dataSource.query<CandidateWorker[]>(
      `SELECT c.id, c.environments, l.free_slots, (l.replica_id IS NOT NULL AND l.lease_until > now()) AS online
       FROM workers c LEFT JOIN worker_leases l ON l.worker_id = c.id
       WHERE ($2 = 'any' OR c.id::text = $2) AND ${USABLE('c.id', '$1')}`,
      [user.id, workerId.toLowerCase()],
    );
    if (workerId !== 'any' && candidates.length === 0) throw notFound('worker', workerId);
    const able = candidates.filter(worker => worker.environments.includes(environment));
    // A worker that never connected has not said yet what it can do.
    if (able.length === 0 && candidates.some(worker => worker.environments.length > 0)) {
      throw new ApiError(
        'environment_not_available',
        `No worker that this run may use has the environment ${environment}. Choose another worker or environment.`,
      );
    }
    const online = able.filter(worker => worker.online);
    const best = online
      .map(worker => ({ worker, link: this.connections.get(worker.id) }))
      .map(({ worker, link }) => ({ worker, link, free: link ? freeSlots(link) : (worker.free_slots ?? 0) }))
      .sort((a, b) => b.free - a.free)[0];
    const fixed = workerId === 'any' ? null : workerId.toLowerCase();
    if (!best) return { workerId: fixed, link: null, waiting: 'worker_offline' };
    if (best.free === 0) return { workerId: fixed, link: null, waiting: 'worker_full' };
    // A worker that another backend holds: that one's next look takes the run.
    if (!best.link) return { workerId: best.worker.id, link: null, waiting: null };
    return { workerId: best.worker.id, link: best.link, waiting: null };
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

/** The same text for the same JSON value, whatever the order of its keys. */
const canonical = (json: string): string => stringify(JSON.parse(json)) ?? '';
