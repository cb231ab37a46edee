import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LIMITS, type Offer, type WaitingReason } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.js';
import { freeSlots, WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';
import { EndingsService, workerLost } from './endings.service.js';
import { ExecutionEvents } from './execution-events.js';
import { RunTokens } from './run-tokens.js';

const OFFER_TIMEOUT_MS = 5_000;
const POLL_MS = 1_000;

/** A run's values as they stand, sealed, in `live_runs.payload`: JSON text or null. */
export interface RunPayload {
  input: string | null;
  inputSecret: string | null;
}

interface OfferRow {
  execution_id: string;
  skript_id: string;
  skript_name: string;
  environment: Offer['environment'];
  bundle_hash: string;
  time_limit_ms: number;
  payload: Buffer;
}

/** Brings runs to workers whose connection this backend holds. `(worker_id, boot_id)` is committed before an offer is sent. */
@Injectable()
export class DispatcherService implements OnModuleInit, OnModuleDestroy {
  #subscription?: Subscription;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: WorkerConnections,
    private readonly events: ExecutionEvents,
    private readonly endings: EndingsService,
    private readonly secretBox: SecretBox,
    private readonly tokens: RunTokens,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // A run that ended has left a free slot.
    this.#subscription = this.events.changes.subscribe(change => {
      if (change.action === 'start' || !change.worker_id) return;
      const link = this.connections.get(change.worker_id);
      if (link) this.dispatch(link).catch(error => this.logger.error({ err: error }, 'dispatch failed'));
    });
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  /**
   * Behind every prompt dispatch: takes what another backend inserted for a worker that is connected here, and mends what
   * was committed while the worker was connecting anew.
   */
  @Interval(POLL_MS)
  async dispatchAll(): Promise<void> {
    for (const link of this.connections.all()) {
      try {
        await this.#reconcile(link);
        await this.dispatch(link);
      } catch (error) {
        this.logger.error({ err: error, worker: link.name }, 'dispatch failed; it is tried again every second');
      }
    }
  }

  /** Offers waiting runs to a worker, as many as it has free slots. */
  async dispatch(link: WorkerLink): Promise<void> {
    const free = freeSlots(link);
    if (free === 0) return;
    const [rows] = await this.dataSource.query<[{ execution_id: string; owner_id: string }[], number]>(
      `UPDATE live_runs SET worker_id = $1, boot_id = $2, epoch = $3, waiting_reason = NULL, waiting_since = NULL
       WHERE execution_id IN (
         SELECT r.execution_id FROM live_runs r
         WHERE r.boot_id IS NULL AND (r.run_after IS NULL OR r.run_after <= now()) AND r.environment = ANY($4)
           AND (r.worker_id = $1 OR r.worker_id IS NULL AND ${USABLE('$1', 'r.owner_id')})
         ORDER BY r.execution_id LIMIT $5 FOR UPDATE SKIP LOCKED)
       RETURNING execution_id, owner_id`,
      [link.workerId, link.bootId, link.epoch, link.environments, free],
    );
    if (rows.length === 0) return;
    const ids = rows.map(row => row.execution_id);
    for (const id of ids) link.offered.add(id);
    await this.dataSource.query(
      `UPDATE executions SET worker_id = $1 WHERE id = ANY($2::uuid[]) AND worker_id IS DISTINCT FROM $1`,
      [link.workerId, ids],
    );
    await this.offer(link, ids);
    for (const row of rows) {
      this.events.changes.next({
        id: row.execution_id,
        owner_id: row.owner_id,
        worker_id: link.workerId,
        action: 'start',
        waiting_for: null,
        error_code: null,
        updated_at: new Date().toISOString(),
      });
    }
  }

  /** Sends offers of runs that are committed to this boot of the worker; it ignores those that it has. */
  async offer(link: WorkerLink, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.dataSource.query<OfferRow[]>(
      `SELECT r.execution_id, e.skript_id, e.skript_name, r.environment, e.bundle_hash, r.time_limit_ms, r.payload
       FROM live_runs r JOIN executions e ON e.id = r.execution_id
       WHERE r.execution_id = ANY($1::uuid[]) AND r.worker_id = $2 AND r.boot_id = $3 ORDER BY r.execution_id`,
      [ids, link.workerId, link.bootId],
    );
    await Promise.all(rows.map(row => this.#send(link, row)));
  }

  /** A run committed to this boot that was never offered is offered; one of an older boot that nobody knows is lost. */
  async #reconcile(link: WorkerLink): Promise<void> {
    const rows = await this.dataSource.query<{ execution_id: string; boot_id: string }[]>(
      `SELECT execution_id, boot_id FROM live_runs WHERE worker_id = $1 AND boot_id IS NOT NULL`,
      [link.workerId],
    );
    const unknown = rows.filter(row => !link.offered.has(row.execution_id) && !link.done.has(row.execution_id));
    const idsOf = (mine: boolean) =>
      unknown.filter(row => (row.boot_id === link.bootId) === mine).map(row => row.execution_id);
    await this.offer(link, idsOf(true));
    await this.endings.end(idsOf(false), 'error', { code: 'worker_lost', message: workerLost('was restarted') });
  }

  async #send(link: WorkerLink, row: OfferRow): Promise<void> {
    const { input, inputSecret } = JSON.parse(this.secretBox.open(row.payload, row.execution_id)) as RunPayload;
    const offer: Offer = {
      id: row.execution_id,
      skript: { id: row.skript_id, title: row.skript_name },
      environment: row.environment,
      bundle: row.bundle_hash,
      lock: null,
      input,
      input_secret: inputSecret,
      limits: { time_ms: row.time_limit_ms, output_bytes: LIMITS.outputBytes },
      token: this.tokens.make(row.execution_id, link.workerId, link.bootId),
    };
    link.offered.add(offer.id);
    try {
      const answer = await link.socket.timeout(OFFER_TIMEOUT_MS).emitWithAck('offer', offer);
      if ('refused' in answer) await this.#wait(link, offer.id, 'worker_full');
    } catch {
      // No answer: the worker may have it or not. Its next hello tells, or its lease runs out; never a second start.
      this.logger.warn({ worker: link.name, execution: offer.id }, 'an offer was not answered');
    }
  }

  async #wait(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    link.offered.delete(id);
    await this.dataSource.query(
      `UPDATE live_runs SET boot_id = NULL, epoch = NULL, waiting_reason = $3, waiting_since = now()
       WHERE execution_id = $1 AND boot_id = $2`,
      [id, link.bootId, reason],
    );
  }
}

/**
 * SQL: whether a user may run skripts on a worker. Below the `full` sandbox only the accounts made at the first start
 * may: code from strangers needs `full`.
 */
export const USABLE = (worker: string, owner: string): string =>
  `EXISTS (SELECT 1 FROM workers w JOIN users u ON u.id = ${owner} WHERE w.id = ${worker}
     AND (w.sandbox = 'full' OR u.built_in)
     AND (w.public OR u.role = 'admin' OR EXISTS (
       SELECT 1 FROM worker_assignments a WHERE a.worker_id = w.id AND a.user_id = u.id)))`;
