import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LIMITS, type Offer, type OfferAnswer, REPLAY_PROTOCOL, type WaitingReason } from '@trawl/contracts';
import { inSpan, traceparent } from '@trawl/tracing';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Metrics } from '../../../platform/common/metrics.service.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { timeOfId } from '../../../platform/common/sql/first-id-at.js';
import { askWorker } from '../../workers/connections/ask-worker.js';
import {
  accountSlots,
  freeSlots,
  freeSlotsFor,
  isAnyAccountFull,
  WorkerConnections,
  type WorkerLink,
} from '../../workers/connections/worker-connections.service.js';
import { EndingsService } from '../end/endings.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { DispatchOutageLog } from './dispatch-outage-log.service.js';
import { LiveRunsRepository, type OfferRow } from './live-runs.repository.js';
import type { OfferedRun, RunPayload } from './offered-run.js';
import { RunStatesService, UNANSWERED } from './run-states.service.js';
import { RunTokens } from './run-tokens.service.js';

/** For each reason why a worker may refuse an offer: the waiting reason that the run then shows. */
const REFUSALS: Record<Extract<OfferAnswer, { refused: unknown }>['refused'], WaitingReason> = {
  full: 'worker_full',
  draining: 'worker_restarting',
  environment: 'no_suitable_worker',
  silent: 'worker_offline',
};
/**
 * If the worker does not answer an offer within this time, the run is reported as unanswered. Faster answers save this
 * SQL statement.
 */
const PROMPT_MS = 500;

const NOT_CONTAINED = {
  code: 'start_failed',
  message:
    'The worker reconnected without the full sandbox. On such a worker only the accounts from the first start may run skripts, ' +
    'so this run was not started. Choose another worker.',
} as const;

const TOO_OLD_FOR_REPLAYS = {
  code: 'start_failed',
  message: 'The worker is too old for replays: it would use the network. Update it, or choose another worker.',
} as const;

const UNREADABLE = {
  code: 'start_failed',
  message:
    'The input and secret of this run cannot be decrypted because TRAWL_SECRET has changed since the start. Start the run again.',
} as const;

/**
 * Offers runs to the workers connected to this backend. The worker and boot of a run are committed before its offer is
 * sent.
 * See docs/decisions/0046-messages-can-be-lost-and-repeated.md.
 */
@Injectable()
export class OffersService implements OnModuleInit, OnModuleDestroy {
  /**
   * Links for which `#refill` is in progress. The value is true if another run on the worker has ended since it began.
   */
  readonly #refilling = new Map<WorkerLink, boolean>();
  /**
   * Links that still had a free slot after their last claim, so no run is waiting for them and a refill needs no query.
   * A new, empty set replaces this one whenever a run starts to wait.
   */
  #drained = new WeakSet<WorkerLink>();
  /** For each link, reads the offers of runs that other backends committed: as many at once as came during the last read. */
  readonly #readers = new WeakMap<WorkerLink, WriteBatcher<string, OfferRow | undefined>>();
  #subscription?: Subscription;

  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly connections: WorkerConnections,
    private readonly events: ExecutionEvents,
    private readonly endings: EndingsService,
    private readonly secretBox: SecretBox,
    private readonly tokens: RunTokens,
    private readonly states: RunStatesService,
    private readonly outages: DispatchOutageLog,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.#subscription = this.events.changes.subscribe(change => {
      if (change.waiting_for) this.#drained = new WeakSet();
    });
    this.#subscription.add(
      this.events.freed.subscribe(({ worker_id, owner_id }) => {
        const link = this.connections.get(worker_id);
        if (link) void this.#refill(link, owner_id);
      }),
    );
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  /** Fills the slot of an account's run that has just ended. */
  async #refill(link: WorkerLink, ownerId: string): Promise<void> {
    if (this.#refilling.has(link)) {
      this.#refilling.set(link, true);
      return;
    }
    // If more than one slot is free, the worker has already taken all waiting runs that this backend knows, except those
    // of an account that had all the slots that it may take.
    const isFirstFree = freeSlots(link) === 1 || freeSlotsFor(link, ownerId, this.config.accountSlotsPercent) === 1;
    if (!isFirstFree || this.#drained.has(link)) return;
    await this.#fill(link);
  }

  async #fill(link: WorkerLink): Promise<void> {
    try {
      do {
        this.#refilling.set(link, false);
        await this.offerWaiting(link);
      } while (this.#refilling.get(link));
    } catch (error) {
      this.outages.failure(error, { worker: link.name });
    } finally {
      this.#refilling.delete(link);
    }
  }

  /**
   * Offers a run that another backend committed to this boot of the worker. That backend could not reserve a slot, so
   * the worker may have none.
   */
  offerOfOtherBackend(link: WorkerLink, id: string, ownerId: string): void {
    if (link.offered.has(id) || link.reserved.has(id)) return;
    const isFull = freeSlots(link) === 0;
    if (!isFull) link.reserved.set(id, ownerId);
    const reason = link.draining ? 'worker_restarting' : 'worker_full';
    const done = isFull ? this.#requeue(link, id, reason) : this.#readAndOffer(link, id);
    done.catch(error => this.outages.failure(error, { worker: link.name }));
  }

  /** Offers waiting runs to a worker, or to all connected here. Another backend made runs wait. */
  offerWaitingSoon(workerId: string | null): void {
    this.#drained = new WeakSet();
    for (const link of this.connections.all()) {
      if ((workerId !== null && link.workerId !== workerId) || freeSlots(link) === 0) continue;
      if (this.#refilling.has(link)) this.#refilling.set(link, true);
      else void this.#fill(link);
    }
  }

  /**
   * Claims waiting runs for the free slots of a worker and offers them. The worker's sandbox is checked again here,
   * because the worker may have reconnected with a weaker sandbox since the run was requested.
   */
  async offerWaiting(link: WorkerLink): Promise<void> {
    if (link.sandbox !== 'full') {
      await this.endings.fail(await this.liveRuns.waitingForFullSandbox(link), NOT_CONTAINED, { isFinal: true });
    }
    const free = freeSlots(link);
    if (free === 0) {
      // Query again when the next run on this worker ends, because another backend may insert a run and this backend
      // gets no event about it.
      this.#drained.delete(link);
      return;
    }
    // Keep the current set. If a run starts to wait during the query, a new set replaces `#drained`, and adding the
    // link to the old set has no effect.
    const drained = this.#drained;
    const percent = this.config.accountSlotsPercent;
    const claimed = await this.liveRuns.claim(link, free, accountSlots(link.slots, percent));
    const ids = claimed.map(row => row.execution_id);
    for (const row of claimed) link.reserved.set(row.execution_id, row.owner_id);
    if (claimed.length < free && !isAnyAccountFull(link, percent)) drained.add(link);
    for (const row of claimed) {
      this.events.publish({
        id: row.execution_id,
        owner_id: row.owner_id,
        worker_id: link.workerId,
        action: 'start',
        updated_at: new Date(),
      });
    }
    await this.offerCommitted(link, ids);
  }

  /**
   * Reads the offers of runs that are committed to this boot of the worker, and sends them. The worker ignores offers
   * of runs that it already has. If the worker's key was replaced, nothing is sent over a connection with the old key.
   */
  async offerCommitted(link: WorkerLink, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.#offer(link, await this.liveRuns.offersFor(link, ids));
    } finally {
      // If an offer was not sent, reconciliation finds the run later and sends it.
      for (const id of ids) link.reserved.delete(id);
    }
  }

  async #readAndOffer(link: WorkerLink, id: string): Promise<void> {
    const reader =
      this.#readers.get(link) ??
      new WriteBatcher<string, OfferRow | undefined>(async ids => {
        const rows = new Map((await this.liveRuns.offersFor(link, ids)).map(row => [row.execution_id, row]));
        return ids.map(each => rows.get(each));
      });
    this.#readers.set(link, reader);
    try {
      const row = await reader.add(id);
      if (row) await this.#offer(link, [row]);
    } finally {
      link.reserved.delete(id);
    }
  }

  async #offer(link: WorkerLink, rows: OfferRow[]): Promise<void> {
    const isSandboxSufficient = (row: OfferRow) => link.sandbox === 'full' || row.below_full;
    const refused = rows.filter(row => !isSandboxSufficient(row)).map(row => row.execution_id);
    await this.endings.fail(refused, NOT_CONTAINED, { isFinal: true });
    await Promise.all(
      rows.filter(isSandboxSufficient).map(async row => {
        const values = await this.#open(row);
        if (values) await this.send(link, row, values);
      }),
    );
  }

  /** Sends the offer of one run that is committed to this boot of the worker, and waits for the answer. */
  send(link: WorkerLink, run: OfferedRun, values: RunPayload): Promise<void> {
    const attributes = { 'trawl.execution.id': run.execution_id, 'trawl.worker.name': link.name };
    return inSpan('offer run', { kind: 'PRODUCER', parent: values.traceparent, attributes }, () =>
      this.#send(link, run, values),
    );
  }

  async #send(link: WorkerLink, run: OfferedRun, values: RunPayload): Promise<void> {
    if (values.replay && link.protocol < REPLAY_PROTOCOL) {
      link.reserved.delete(run.execution_id);
      await this.endings.fail([run.execution_id], TOO_OLD_FOR_REPLAYS, { isFinal: true });
      return;
    }
    const offer = this.#offerOf(link, run, values);
    link.offered.set(offer.id, run.owner_id);
    link.reserved.delete(offer.id);
    const reportUnanswered = () => this.states.reportUnanswered(link, offer.id);
    let reported = run.waiting_reason === UNANSWERED ? Promise.resolve() : undefined;
    const late = setTimeout(() => {
      reported ??= reportUnanswered().catch(error => this.outages.failure(error, { worker: link.name }));
    }, PROMPT_MS);
    try {
      const answer = await askWorker(link.socket, 'offer', offer).finally(() => clearTimeout(late));
      // If a report that the offer is unanswered is being written, wait for it, so that it cannot overwrite a later
      // report.
      await reported;
      if ('refused' in answer) {
        await this.#requeue(link, offer.id, REFUSALS[answer.refused]);
        return;
      }
      this.events.publishAccepted(offer.id);
      if (run.waiting_reason !== 'retry_scheduled')
        this.metrics.startDelaySeconds.observe((Date.now() - timeOfId(offer.id)) / 1_000);
      if (reported) await this.states.reportAnswered(link, [offer.id]);
    } catch {
      this.logger.warn({ worker: link.name, execution: offer.id }, 'offer not answered; sending it again');
      // The worker may have received the offer. So reconciliation may offer the run again only to the same boot of this
      // worker, never to another worker or boot.
      await reportUnanswered().finally(() => link.offered.delete(offer.id));
    }
  }

  #offerOf(link: WorkerLink, run: OfferedRun, values: RunPayload): Offer {
    const { data } = link.socket;
    data.offers = (data.offers ?? 0) + 1;
    const parent = traceparent();
    return {
      n: data.offers,
      id: run.execution_id,
      skript: { id: run.skript_id, title: run.skript_name },
      environment: run.environment,
      bundle: run.bundle_hash,
      lock: run.lock_hash,
      owner_id: run.owner_id,
      warm: run.warm && !values.record && !values.replay,
      keeps_exchanges: run.keep_exchanges,
      ...(run.polite && !values.replay && { polite: true }),
      ...(run.proxy !== null && !values.replay && { proxy: run.proxy }),
      ...(run.row_key !== null && { row_key: run.row_key }),
      ...(run.retry_of !== null && { retry_of: run.retry_of }),
      input: values.input,
      input_secret: values.inputSecret,
      limits: {
        time_ms: run.time_limit_ms,
        pause_ms: this.config.maxPauseMs,
        output_bytes: LIMITS.outputBytes,
      },
      ends_with_lease: run.retries_left > 0,
      token: this.tokens.make(run.execution_id, link.workerId, link.bootId),
      ...(values.record && { record: values.record }),
      ...(values.replay && { replay: values.replay }),
      ...(parent !== undefined && { traceparent: parent }),
    };
  }

  /**
   * Decrypts the values of a run. If they cannot be decrypted because TRAWL_SECRET has changed, ends the run and
   * returns null.
   */
  async #open(row: OfferRow): Promise<RunPayload | null> {
    try {
      return JSON.parse(this.secretBox.open(row.payload, row.sealed_for)) as RunPayload;
    } catch (error) {
      this.logger.error({ err: error, execution: row.execution_id }, 'decrypting the values of a run failed');
      await this.endings.fail([row.execution_id], UNREADABLE, { isFinal: true });
      return null;
    }
  }

  async #requeue(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    await this.states.requeue(link, id, reason);
    this.#drained = new WeakSet();
    link.offered.delete(id);
    await this.endings.endStoppedUnoffered([id]);
  }
}
