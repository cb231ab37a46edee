import { Inject, Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { stringify } from 'safe-stable-stringify';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../auth/current-user.js';
import { CommitGatherer } from '../common/commit-gatherer.js';
import { CONFIG, type Config } from '../common/config.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { type Lookups, LookupsInTurn, LookupsOnce } from '../common/shared-lookups.js';
import { BundlesService, type RunnableSkript } from '../skripts/bundles.service.js';
import { InputSecretsService } from '../skripts/input-secrets.service.js';
import { InputsService } from '../skripts/inputs.service.js';
import type { WorkerLink } from '../workers/worker-connections.js';
import { DispatcherService } from './dispatcher.service.js';
import { ExecutionEvents } from './execution-events.js';
import type { OfferedRun, RunPayload } from './offered-run.js';
import { type Inserted, insertRuns, insertTogether } from './run-rows.js';
import { type Seen, SeenTargets } from './seen-targets.js';
import { StartTargets, type Target } from './start-targets.service.js';

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
  /** An earlier call with the same idempotency key had started it. */
  isJoined: boolean;
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
  /** The same for starts of which one may be live at a time. */
  liveKey: Buffer;
  values: RunPayload;
  /** `values`, sealed. */
  payload: Buffer;
  /** Set when skript and worker were looked up for an earlier start: they have to be as they were then. */
  seen?: { skriptVersion: string; workerKey: Buffer };
  /** Of the worker that it is committed to, at the commit: SHA-256 of its key. */
  workerKey?: Buffer | null;
}

@Injectable()
export class StartsService {
  readonly #lookups = new LookupsInTurn();
  readonly #seen = new SeenTargets();
  /** Of the accounts that start something just now. */
  readonly #gatherers = new Map<string, CommitGatherer<PreparedStart, Inserted | null>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly bundles: BundlesService,
    private readonly inputs: InputsService,
    private readonly inputSecrets: InputSecretsService,
    private readonly targets: StartTargets,
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
    const likely = await this.#prepareAsSeen(user.id, request);
    const started =
      (likely && (await this.#insertAndBegin(likely))) ??
      (await this.#insertAndBegin(await this.prepare(user.id, request)));
    if (started instanceof ApiError) throw started;
    return started as StartedRun;
  }

  /** Null for one that is to be prepared again. */
  async #insertAndBegin(start: PreparedStart): Promise<StartedRun | ApiError | null> {
    const [started] = await this.#begun([start], async () => [await this.#insert(start)]);
    return started ?? null;
  }

  /**
   * The same for several, with one commit.
   * @returns what `start` returns or throws for each, in their order.
   */
  async startAll(user: Pick<SessionUser, 'id'>, requests: StartRequest[]): Promise<(StartedRun | ApiError)[]> {
    const shared = new LookupsOnce();
    const looked = await Promise.allSettled(requests.map(request => this.prepare(user.id, request, shared)));
    const starts = looked.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    const broken = looked.find(one => one.status === 'rejected' && !(one.reason instanceof ApiError));
    if (broken?.status === 'rejected') {
      for (const start of starts) this.abandon(start);
      throw broken.reason;
    }
    const started = (await this.#begun(starts, () => this.#insertAsOne(starts))).values();
    return looked.map(one =>
      one.status === 'rejected' ? (one.reason as ApiError) : (started.next().value as StartedRun | ApiError),
    );
  }

  /**
   * Everything that a start needs before its transaction, and a slot kept for it. Whoever prepares inserts, and then
   * begins or abandons it.
   * @param shared with other starts that are prepared at the same moment.
   * @throws {ApiError} as `start` does.
   */
  async prepare(ownerId: string, request: StartRequest, shared: Lookups = this.#lookups): Promise<PreparedStart> {
    const skript = await shared.once(`skript ${ownerId} ${request.skriptId}`, () =>
      this.bundles.ensure(ownerId, request.skriptId),
    );
    const candidates = await shared.once(`workers ${ownerId} ${request.workerId}`, () =>
      this.targets.candidates(ownerId, request.workerId),
    );
    const start = await this.#prepared(ownerId, request, { skript, candidates });
    if (skript.version !== null && start.target.link) this.#seen.keep(seenBy(ownerId, request), { skript, candidates });
    return start;
  }

  /** From what an earlier start looked up, if it can be begun at once from that; null when all is to be looked up. */
  async #prepareAsSeen(ownerId: string, request: StartRequest): Promise<PreparedStart | null> {
    const seen = this.#seen.get(seenBy(ownerId, request));
    if (!seen || request.idempotencyKey !== undefined) return null;
    // What is refused may be so because of what is different now.
    const start = await this.#prepared(ownerId, request, seen).catch(() => null);
    const { version } = seen.skript;
    if (start?.target.link && version !== null && isSmall(start)) {
      return { ...start, seen: { skriptVersion: version, workerKey: start.target.link.keyHash } };
    }
    if (start) this.abandon(start);
    return null;
  }

  async #prepared(ownerId: string, request: StartRequest, { skript, candidates }: Seen): Promise<PreparedStart> {
    const input = await this.#value(request.input, id => this.inputs.stored(ownerId, skript.id, id), 'input');
    const inputSecret = await this.#value(
      request.inputSecret,
      id => this.inputSecrets.stored(ownerId, skript.id, id),
      'inputSecret',
    );
    const target = await this.targets.choose(ownerId, request.workerId, skript.environment, candidates);
    const id = uuidv7();
    // Before the commit, so that two starts at once do not take the same slot.
    target.link?.reserved.add(id);
    const tries = {
      timeoutMs: request.timeoutMs ?? skript.timeoutMs,
      retries: request.retries ?? skript.retries,
      retryDelayMs: request.retryDelayMs ?? skript.retry_delay_ms,
    };
    const liveKey = this.secretBox.digest(
      'live run',
      ownerId,
      request.workerId,
      skript.id,
      input ? canonical(input.json) : '',
      inputSecret ? canonical(inputSecret.json) : '',
    );
    const values: RunPayload = { input: input?.json ?? null, inputSecret: inputSecret?.json ?? null };
    const payload = this.secretBox.seal(JSON.stringify(values), id);
    return { id, ownerId, request, skript, tries, target, input, inputSecret, liveKey, values, payload };
  }

  /** After the commit: tells of the run and sends its offer. */
  begin(start: PreparedStart): void {
    const { id, ownerId, target } = start;
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
    if (!target.link) return;
    this.#offer(target.link, start).catch(error => {
      this.logger.error({ err: error, execution: id }, 'an offer could not be sent; it is tried again in a second');
    });
  }

  /** From what is at hand, unless the worker's key was replaced since it was looked up: then the rows decide. */
  #offer(link: WorkerLink, { id, ownerId, skript, tries, values, workerKey }: PreparedStart): Promise<void> {
    if (!workerKey?.equals(link.keyHash)) return this.dispatcher.offer(link, [id]);
    const run: OfferedRun = {
      execution_id: id,
      owner_id: ownerId,
      warm: skript.warm,
      skript_id: skript.id,
      skript_name: skript.title,
      environment: skript.environment,
      bundle_hash: skript.bundleHash,
      lock_hash: skript.lockHash,
      time_limit_ms: tries.timeoutMs,
      retries_left: tries.retries,
      waiting_reason: null,
    };
    return this.dispatcher.offerKnown(link, run, values);
  }

  /** Nothing was inserted, or it was rolled back: the slot is free again. */
  abandon({ id, target }: PreparedStart): void {
    target.link?.reserved.delete(id);
  }

  /** `insertRuns`, for whoever has prepared the starts: within its transaction. */
  insert(manager: EntityManager, starts: PreparedStart[]): Promise<Inserted[]> {
    return insertRuns(manager, starts, this.config.quotas);
  }

  /** Begins those that `insert` inserted and abandons the others. */
  async #begun(
    starts: PreparedStart[],
    insert: () => Promise<(Inserted | null)[]>,
  ): Promise<(StartedRun | ApiError | null)[]> {
    let inserted: (Inserted | null)[] = [];
    try {
      inserted = await insert();
    } finally {
      starts.forEach((start, index) => {
        if (inserted[index] === start.id) this.begin(start);
        else this.abandon(start);
      });
    }
    return starts.map((start, index) => {
      const result = inserted[index] ?? null;
      return result === null || result instanceof ApiError
        ? result
        : { id: result, isJoined: result !== start.id, ...start.tries };
    });
  }

  /**
   * With those of the same account that come while a commit is under way: nobody waits for another account's locks.
   * @returns null for one that is to be prepared again.
   */
  async #insert(start: PreparedStart): Promise<Inserted | null> {
    if (start.request.idempotencyKey !== undefined || !isSmall(start)) return this.#insertAlone(start);
    const gatherer =
      this.#gatherers.get(start.ownerId) ??
      new CommitGatherer((starts: PreparedStart[]) => this.#insertGathered(starts));
    this.#gatherers.set(start.ownerId, gatherer);
    let inserted: Inserted | null;
    try {
      inserted = await gatherer.add(start);
    } finally {
      if (gatherer.isIdle) this.#gatherers.delete(start.ownerId);
    }
    return inserted ?? (start.seen ? null : this.#insertAlone(start));
  }

  /** Null for those that are to be inserted by themselves. */
  async #insertGathered(starts: PreparedStart[]): Promise<(Inserted | null)[]> {
    try {
      return await insertTogether(this.dataSource.manager, starts, this.config.quotas);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return starts.map(() => null);
    }
  }

  async #insertAsOne(starts: PreparedStart[]): Promise<Inserted[]> {
    try {
      return await this.dataSource.transaction(manager => this.insert(manager, starts));
    } catch (error) {
      if (!isRefused(error)) throw error;
      return Promise.all(starts.map(start => this.#insertAlone(start)));
    }
  }

  async #insertAlone(start: PreparedStart): Promise<Inserted> {
    const insert = (manager: EntityManager) => this.insert(manager, [start]);
    // Without a key it is one statement, which is a transaction by itself.
    const [inserted] = await (start.request.idempotencyKey === undefined
      ? insert(this.dataSource.manager)
      : this.dataSource.transaction(insert));
    return inserted as Inserted;
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

/** A start with larger values is inserted by itself: it would hold up those beside it. */
const isSmall = ({ payload }: PreparedStart): boolean => payload.length <= 16 * 1024;

const seenBy = (ownerId: string, { skriptId, workerId }: StartRequest): string => `${ownerId} ${skriptId} ${workerId}`;

/** The same text for the same JSON value, whatever the order of its keys. */
const canonical = (json: string): string => stringify(JSON.parse(json)) ?? '';

/**
 * SQLSTATE classes for what PostgreSQL took nothing of: values (22), rows (23), deadlocks (40), too complex (54). After
 * any other error it is not certain that nothing was committed.
 */
const isRefused = (error: unknown): boolean => /^(22|23|40|54)/.test(String((error as { code?: unknown }).code));
