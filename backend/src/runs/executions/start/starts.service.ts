import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import type { SessionUser } from '../../../platform/auth/current-user.js';
import { type Lookups, MemoizedLookups } from '../../../platform/common/batching/shared-lookups.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import type { OfferedRun } from '../dispatch/offered-run.js';
import { OffersService } from '../dispatch/offers.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import type { Inserted, PreparedStart, StartedRun, StartRequest } from './prepared-start.js';
import { RunInserts } from './run-inserts.service.js';
import { StartPreparation } from './start-preparation.service.js';
import { UnbuiltRuns } from './unbuilt-runs.service.js';

/** Starts runs: prepares a start, inserts it with the worker boot that it is offered to, then sends the offer. */
@Injectable()
export class StartsService {
  constructor(
    private readonly preparation: StartPreparation,
    private readonly inserts: RunInserts,
    private readonly offers: OffersService,
    private readonly events: ExecutionEvents,
    private readonly unbuilt: UnbuiltRuns,
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Starts one run.
   * @returns the started run, or an earlier run with the same idempotency key.
   * @throws {ApiError} 403 on a worker without the full sandbox, 404, 409 `already_running` or
   *   `idempotency_key_reused`, 413, 422 `main_missing`, `bundle_failed`, `environment_not_available`, 429
   *   `quota_exceeded`.
   */
  async start(user: Pick<SessionUser, 'id'>, request: StartRequest): Promise<StartedRun> {
    const cached = await this.preparation.prepareFromCache(user.id, request);
    const started =
      (cached && (await this.#insertAndBegin(cached))) ??
      (await this.#insertAndBegin(await this.preparation.prepare(user.id, request)));
    if (started instanceof ApiError) throw started;
    return started as StartedRun;
  }

  /**
   * Starts several runs with one commit.
   * @returns for each request, in order: what `start` would return or throw.
   */
  async startAll(
    user: Pick<SessionUser, 'id'>,
    requests: StartRequest[],
    shared: Lookups = new MemoizedLookups(),
  ): Promise<(StartedRun | ApiError)[]> {
    const prepared = await Promise.allSettled(requests.map(request => this.prepare(user.id, request, shared)));
    const starts = prepared.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    const broken = prepared.find(one => one.status === 'rejected' && !(one.reason instanceof ApiError));
    if (broken?.status === 'rejected') {
      for (const start of starts) this.preparation.release(start);
      throw broken.reason;
    }
    const inserted = await this.#beginInserted(starts, () => this.inserts.insertAll(starts));
    const started = starts.map((start, index) => resultOf(start, inserted[index] ?? null)).values();
    return prepared.map(one =>
      one.status === 'rejected' ? (one.reason as ApiError) : (started.next().value as StartedRun | ApiError),
    );
  }

  /**
   * Looks up everything for a start and reserves its slot. Pass the result to `commit`, which frees or uses the slot.
   * @param shared lookups that are shared with other starts prepared at the same moment.
   * @throws {ApiError} as `start` does.
   */
  prepare(ownerId: string, request: StartRequest, shared?: Lookups): Promise<PreparedStart> {
    return this.preparation.prepare(ownerId, request, shared);
  }

  /**
   * Runs `work` in a transaction in which it may insert any of the prepared starts. After the commit, begins the runs
   * that were inserted and frees the reserved slots of all other starts. After a rollback, frees the slots of all
   * starts.
   */
  async commit<T>(
    starts: PreparedStart[],
    work: (manager: EntityManager, insert: (starts: PreparedStart[]) => Promise<Inserted[]>) => Promise<T>,
  ): Promise<T> {
    let result: T | undefined;
    await this.#beginInserted(starts, async () => {
      const inserted = new Map<PreparedStart, Inserted>();
      result = await this.dataSource.transaction(manager =>
        work(manager, async chosen => {
          const results = await this.inserts.insertWithin(manager, chosen);
          chosen.forEach((start, index) => {
            inserted.set(start, results[index] as Inserted);
          });
          return results;
        }),
      );
      return starts.map(start => inserted.get(start) ?? null);
    });
    return result as T;
  }

  /** Null if the start was prepared from stale lookups. */
  async #insertAndBegin(start: PreparedStart): Promise<StartedRun | ApiError | null> {
    const [inserted = null] = await this.#beginInserted([start], async () => [await this.inserts.insert(start)]);
    return resultOf(start, inserted);
  }

  /** Begins the starts that `insert` has committed and frees the slots of the others. */
  async #beginInserted(
    starts: PreparedStart[],
    insert: () => Promise<(Inserted | null)[]>,
  ): Promise<(Inserted | null)[]> {
    let inserted: (Inserted | null)[] = [];
    try {
      inserted = await insert();
    } finally {
      starts.forEach((start, index) => {
        if (inserted[index] === start.id) this.#begin(start);
        else this.preparation.release(start);
      });
    }
    return inserted;
  }

  /** Publishes a committed run and sends its offer. */
  #begin(start: PreparedStart): void {
    const { id, ownerId, target, skript, builder } = start;
    if (builder !== null) this.unbuilt.add({ id, owner_id: ownerId, skript_id: skript.id, worker_id: target.workerId });
    if (skript.record === 'next' && start.values.record) {
      this.preparation.recordedNext(skript.id).catch(error => {
        this.logger.error({ err: error, skript: skript.id }, 'ending the recording of a skript failed');
      });
    }
    const now = new Date().toISOString();
    this.events.publish({
      id,
      owner_id: ownerId,
      worker_id: target.workerId,
      action: 'start',
      waiting_for: target.waiting ? { reason: target.waiting, since: now } : null,
      updated_at: now,
    });
    if (!target.link) return;
    this.#offer(target.link, start).catch(error => {
      this.logger.error({ err: error, execution: id }, 'sending an offer failed; retrying within a second');
    });
  }

  /**
   * Sends the offer with the data in memory. If the worker's key was replaced since the lookup, reads the offer from
   * the database instead.
   */
  #offer(link: WorkerLink, start: PreparedStart): Promise<void> {
    if (!start.workerKey?.equals(link.keyHash)) return this.offers.offerCommitted(link, [start.id]);
    return this.offers.send(link, offeredRunOf(start), start.values);
  }
}

const resultOf = (start: PreparedStart, inserted: Inserted | null): StartedRun | ApiError | null =>
  inserted === null || inserted instanceof ApiError
    ? inserted
    : {
        id: inserted,
        isJoined: inserted !== start.id,
        retries: start.attempts.retries,
        workerResponseTimeoutMs: start.skript.worker_response_timeout,
      };

const offeredRunOf = ({ id, ownerId, skript, attempts }: PreparedStart): OfferedRun => ({
  execution_id: id,
  owner_id: ownerId,
  warm: skript.warm,
  keep_exchanges: skript.keep_exchanges,
  polite: skript.polite,
  proxy: skript.proxy,
  row_key: skript.row_key,
  retry_of: null,
  skript_id: skript.id,
  skript_name: skript.title,
  environment: skript.environment,
  // A start with a connection to a worker has a bundle.
  bundle_hash: skript.bundleHash as string,
  lock_hash: skript.lockHash,
  time_limit_ms: attempts.timeoutMs,
  retries_left: attempts.retries,
  waiting_reason: null,
});
