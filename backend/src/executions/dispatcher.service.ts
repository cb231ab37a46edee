import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import {
  type Command,
  type Control,
  type ControlAnswer,
  isLive,
  LIMITS,
  type Offer,
  type OfferAnswer,
  type WaitingReason,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { preparedQuery } from '../common/prepared-query.js';
import { SecretBox } from '../common/secret-box.js';
import { askWorker } from '../workers/ask-worker.js';
import { isOffered } from '../workers/who-may-use.js';
import { freeSlots, WorkerConnections, type WorkerLink } from '../workers/worker-connections.js';
import { EndingsService, workerLost } from './endings.service.js';
import { ExecutionEvents } from './execution-events.js';
import { waitingFor } from './execution-rows.js';
import type { OfferedRun, RunPayload } from './offered-run.js';
import { RunStatesService, UNANSWERED } from './run-states.service.js';
import { RunTokens } from './run-tokens.js';

const POLL_MS = 1_000;

/** What a run waits for that a worker has not taken. */
const REFUSALS: Record<Extract<OfferAnswer, { refused: unknown }>['refused'], WaitingReason> = {
  full: 'worker_full',
  draining: 'worker_restarting',
  environment: 'no_suitable_worker',
  silent: 'worker_offline',
};
/** An offer that is answered promptly costs no statement more. */
const PROMPT_MS = 500;

const NOT_CONTAINED = {
  code: 'start_failed',
  message:
    'The worker has come back without the full sandbox, and only the accounts made at the first start may run skripts there. ' +
    'The run was not started. Choose another worker.',
} as const;

const UNREADABLE = {
  code: 'start_failed',
  message:
    'The values of this run can no longer be decrypted: TRAWL_SECRET has changed since it was asked for. Start it again.',
} as const;

/** SQL: whether the owner of `live_runs r` may run skripts on a worker without the full sandbox. */
const MAY_RUN_BELOW_FULL = `EXISTS (SELECT 1 FROM users u WHERE u.id = r.owner_id AND u.built_in)`;

interface OfferRow extends OfferedRun {
  payload: Buffer;
  /** The run that they were sealed for. */
  sealed_for: string;
  /** Whether its owner's runs may go to a worker without the full sandbox. */
  below_full: boolean;
}

type ObeyedRow = Parameters<typeof waitingFor>[0] & { owner_id: string; updated_at: Date };

interface CommittedRow {
  execution_id: string;
  boot_id: string;
  want: Command | null;
  cmd_seq: number;
  cmd_done: number;
}

/** Brings runs to workers whose connection this backend holds. `(worker_id, boot_id)` is committed before an offer is sent. */
@Injectable()
export class DispatcherService implements OnModuleInit, OnModuleDestroy {
  readonly #lookedAt = new Set<WorkerLink>();
  /** Full ones for which a run is looked for, since one of theirs ended, and whether another has ended meanwhile. */
  readonly #refilling = new Map<WorkerLink, boolean>();
  /** Links for which the last look left a slot free, and of no run that waits was heard since. */
  #nothingWaits = new WeakSet<WorkerLink>();
  readonly #outages: OutageLog;
  #subscription?: Subscription;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: WorkerConnections,
    private readonly events: ExecutionEvents,
    private readonly endings: EndingsService,
    private readonly secretBox: SecretBox,
    private readonly tokens: RunTokens,
    private readonly states: RunStatesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'dispatch failed; it is tried again every second');
  }

  onModuleInit(): void {
    // A run that ended has left a free slot.
    this.#subscription = this.events.changes.subscribe(change => {
      if (change.waiting_for) this.#nothingWaits = new WeakSet();
      if (isLive(change.action) || !change.worker_id) return;
      const link = this.connections.get(change.worker_id);
      if (link) void this.#refill(link);
    });
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  /** For the slot of a run that ended just now. */
  async #refill(link: WorkerLink): Promise<void> {
    if (this.#refilling.has(link)) {
      this.#refilling.set(link, true);
      return;
    }
    // One that had slots left has taken all that it may have; that another backend inserted more is found within a second.
    if (freeSlots(link) !== 1 || this.#nothingWaits.has(link)) return;
    try {
      do {
        this.#refilling.set(link, false);
        await this.dispatch(link);
      } while (this.#refilling.get(link));
    } catch (error) {
      this.#outages.failure(error, { worker: link.name });
    } finally {
      this.#refilling.delete(link);
    }
  }

  /**
   * Behind every prompt dispatch: takes what another backend inserted for a worker that is connected here, and mends what
   * was committed while something was in between.
   */
  @Interval(POLL_MS)
  async dispatchAll(): Promise<void> {
    await Promise.all([...this.connections.all()].map(link => this.#look(link)));
  }

  /** One look at a time: a worker that does not answer holds up its own only. */
  async #look(link: WorkerLink): Promise<void> {
    if (this.#lookedAt.has(link)) return;
    this.#lookedAt.add(link);
    try {
      await this.reconcile(link);
      await this.dispatch(link);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error, { worker: link.name });
    } finally {
      this.#lookedAt.delete(link);
    }
  }

  /**
   * Offers waiting runs to a worker, as many as it has free slots. What it contains counts now, not when a run was asked
   * for: a worker may come back with less.
   */
  async dispatch(link: WorkerLink): Promise<void> {
    if (link.sandbox !== 'full') await this.#endUncontained(link);
    const free = freeSlots(link);
    if (free === 0) {
      // Another backend may have inserted a run meanwhile, of which no event tells: the next end here asks.
      this.#nothingWaits.delete(link);
      return;
    }
    const nothingWaits = this.#nothingWaits;
    const taken = await preparedQuery<{ execution_id: string; owner_id: string }>(
      this.dataSource,
      'runs for a worker',
      `WITH taken AS (
         UPDATE live_runs SET worker_id = $1, boot_id = $2, epoch = $3, waiting_reason = NULL, waiting_since = NULL
         WHERE EXISTS (SELECT 1 FROM worker_leases l JOIN workers w ON w.id = l.worker_id AND w.key_hash = $7
             WHERE l.worker_id = $1 AND l.boot_id = $2 AND l.epoch = $3 AND l.lease_until > now())
           AND execution_id IN (
             SELECT r.execution_id FROM live_runs r
             WHERE r.boot_id IS NULL AND (r.run_after IS NULL OR r.run_after <= now()) AND r.environment = ANY($4)
               AND (r.want IS NULL OR r.want = 'resume')
               AND (r.worker_id = $1 OR r.worker_id IS NULL) AND ${isOffered('$1', 'r.owner_id')}
               AND ($6 OR ${MAY_RUN_BELOW_FULL})
             ORDER BY r.execution_id LIMIT $5 FOR UPDATE SKIP LOCKED)
         RETURNING execution_id, owner_id),
       named AS (
         UPDATE executions e SET worker_id = w.id, worker_name = w.name FROM taken, workers w
         WHERE e.id = taken.execution_id AND w.id = $1)
       SELECT * FROM taken`,
      [link.workerId, link.bootId, link.epoch, link.environments, free, link.sandbox === 'full', link.keyHash],
    );
    // Of a run that began to wait during the look, another set knows.
    if (taken.length < free) nothingWaits.add(link);
    const ids = taken.map(row => row.execution_id);
    for (const id of ids) link.reserved.add(id);
    for (const row of taken) {
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
    await this.offer(link, ids);
  }

  /**
   * Sends offers of runs that are committed to this boot of the worker; it ignores those that it has. Who holds a key that
   * was replaced gets nothing, also while its connection still stands.
   */
  async offer(link: WorkerLink, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      const rows = await preparedQuery<OfferRow>(
        this.dataSource,
        'offers to a worker',
        `SELECT r.execution_id, r.owner_id, COALESCE(s.warm, false) AS warm, e.skript_id, e.skript_name, r.environment,
           e.bundle_hash, b.lock_hash, r.time_limit_ms, r.payload,
           COALESCE(r.sealed_for, r.execution_id) AS sealed_for, r.retries_left, r.waiting_reason,
           ${MAY_RUN_BELOW_FULL} AS below_full
         FROM live_runs r JOIN executions e ON e.id = r.execution_id LEFT JOIN skripts s ON s.id = e.skript_id
           LEFT JOIN bundles b ON b.hash = e.bundle_hash
           JOIN workers w ON w.id = r.worker_id AND w.key_hash = $4
         WHERE r.execution_id = ANY($1::uuid[]) AND r.worker_id = $2 AND r.boot_id = $3 ORDER BY r.execution_id`,
        [ids, link.workerId, link.bootId, link.keyHash],
      );
      const isContained = (row: OfferRow) => link.sandbox === 'full' || row.below_full;
      const uncontained = rows.filter(row => !isContained(row)).map(row => row.execution_id);
      await this.endings.fail(uncontained, NOT_CONTAINED, { isFinal: true });
      await Promise.all(
        rows.filter(isContained).map(async row => {
          const values = await this.#open(row);
          if (values) await this.offerKnown(link, row, values);
        }),
      );
    } finally {
      // What was not sent is found by the next look.
      for (const id of ids) link.reserved.delete(id);
    }
  }

  /**
   * Holds what this process remembers of a worker against the rows: a run committed to this boot that was never offered is
   * offered, one of an older boot that nobody knows is lost, one that has ended frees its slot, and a command that may
   * have gone astray is sent again.
   */
  async reconcile(link: WorkerLink): Promise<void> {
    const before = [...link.offered];
    const rows = await this.dataSource.query<CommittedRow[]>(
      `SELECT execution_id, boot_id, want, cmd_seq, cmd_done FROM live_runs
       WHERE worker_id = $1 AND boot_id IS NOT NULL
         AND EXISTS (SELECT 1 FROM worker_leases WHERE worker_id = $1 AND boot_id = $2 AND epoch = $3)`,
      [link.workerId, link.bootId, link.epoch],
    );
    const live = new Set(rows.map(row => row.execution_id));
    for (const id of before) if (!live.has(id)) link.offered.delete(id);
    const unknown = rows.filter(
      ({ execution_id: id }) => !link.offered.has(id) && !link.reserved.has(id) && !link.done.has(id),
    );
    const idsOf = (isOfThisBoot: boolean) =>
      unknown.filter(row => (row.boot_id === link.bootId) === isOfThisBoot).map(row => row.execution_id);
    await this.endings.fail(idsOf(false), { code: 'worker_lost', message: workerLost('was restarted') });
    await this.offer(link, idsOf(true));
    for (const { execution_id: id, want, cmd_seq, cmd_done } of rows) {
      if (want && cmd_done < cmd_seq && link.offered.has(id)) await this.command(link, { id, cmd: want, cmd_seq });
    }
  }

  /** Runs that wait for this very worker, and that it may not have as it is now. */
  async #endUncontained(link: WorkerLink): Promise<void> {
    const rows = await this.dataSource.query<{ execution_id: string }[]>(
      `SELECT r.execution_id FROM live_runs r
       WHERE r.worker_id = $1 AND r.boot_id IS NULL AND NOT ${MAY_RUN_BELOW_FULL}
         AND EXISTS (SELECT 1 FROM worker_leases WHERE worker_id = $1 AND boot_id = $2 AND epoch = $3)`,
      [link.workerId, link.bootId, link.epoch],
    );
    const ids = rows.map(row => row.execution_id);
    await this.endings.fail(ids, NOT_CONTAINED, { isFinal: true });
  }

  /**
   * A command that is not answered is sent again by the next look.
   * @returns why the worker cannot do it, if it cannot.
   */
  async command(link: WorkerLink, control: Control): Promise<string | null> {
    let answer: ControlAnswer;
    try {
      answer = await askWorker(link.socket, 'control', control);
    } catch {
      this.logger.warn({ worker: link.name, execution: control.id }, 'a command was not answered; it is sent again');
      return null;
    }
    const wanted = control.cmd === 'pause' ? 'pause' : 'start';
    // A run that is about to end says so itself.
    const isDone = control.cmd !== 'stop' && (answer.action === wanted || answer.refused !== undefined);
    if (isDone) await this.#obeyed(link, control, answer);
    return answer.refused ?? null;
  }

  async #obeyed(link: WorkerLink, { id, cmd_seq }: Control, { action, refused }: ControlAnswer): Promise<void> {
    const [rows] = await this.dataSource.query<[ObeyedRow[], number]>(
      `WITH done AS (
         UPDATE live_runs SET cmd_done = $2, want = CASE WHEN $4 THEN NULL ELSE want END
         WHERE execution_id = $1 AND cmd_seq = $2 AND cmd_done < $2 RETURNING *)
       UPDATE executions e SET action = $3, updated_at = now() FROM done WHERE e.id = done.execution_id
       RETURNING e.owner_id, e.action, done.waiting_reason, done.waiting_since, done.run_after, e.updated_at`,
      [id, cmd_seq, action === 'pause' ? 'pause' : 'start', refused !== undefined],
    );
    for (const row of rows) {
      this.events.changes.next({
        id,
        owner_id: row.owner_id,
        worker_id: link.workerId,
        action: row.action,
        waiting_for: waitingFor(row),
        error_code: null,
        updated_at: row.updated_at.toISOString(),
      });
    }
  }

  /** Sends the offer of a run that is committed to this boot of the worker. */
  async offerKnown(link: WorkerLink, run: OfferedRun, values: RunPayload): Promise<void> {
    const { data } = link.socket;
    data.offers = (data.offers ?? 0) + 1;
    const offer: Offer = {
      n: data.offers,
      id: run.execution_id,
      skript: { id: run.skript_id, title: run.skript_name },
      environment: run.environment,
      bundle: run.bundle_hash,
      lock: run.lock_hash,
      owner_id: run.owner_id,
      warm: run.warm,
      input: values.input,
      input_secret: values.inputSecret,
      limits: { time_ms: run.time_limit_ms, output_bytes: LIMITS.outputBytes },
      ends_with_lease: run.retries_left > 0,
      token: this.tokens.make(run.execution_id, link.workerId, link.bootId),
    };
    link.offered.add(offer.id);
    link.reserved.delete(offer.id);
    const sayUnanswered = () => this.states.unanswered(link, offer.id);
    let said = run.waiting_reason === UNANSWERED ? Promise.resolve() : undefined;
    const late = setTimeout(() => {
      said ??= sayUnanswered().catch(error => this.#outages.failure(error, { worker: link.name }));
    }, PROMPT_MS);
    try {
      const answer = await askWorker(link.socket, 'offer', offer).finally(() => clearTimeout(late));
      // What is still being said must not come after what is said now.
      await said;
      if ('refused' in answer) {
        await this.#putBack(link, offer.id, REFUSALS[answer.refused]);
        return;
      }
      this.events.accepted.next(offer.id);
      if (said) await this.states.answered(link, [offer.id]);
    } catch {
      this.logger.warn({ worker: link.name, execution: offer.id }, 'an offer was not answered; it is sent again');
      // The worker may have it or not. Offering again is safe on the same boot; never a second start on another one.
      await sayUnanswered().finally(() => link.offered.delete(offer.id));
    }
  }

  /** The run's values; null when they cannot be read any more, which ends the run. */
  async #open(row: OfferRow): Promise<RunPayload | null> {
    try {
      return JSON.parse(this.secretBox.open(row.payload, row.sealed_for)) as RunPayload;
    } catch (error) {
      this.logger.error({ err: error, execution: row.execution_id }, 'the values of a run cannot be decrypted');
      await this.endings.fail([row.execution_id], UNREADABLE, { isFinal: true });
      return null;
    }
  }

  /** Refused: the run waits again. */
  async #putBack(link: WorkerLink, id: string, reason: WaitingReason): Promise<void> {
    await this.states.refused(link, id, reason);
    this.#nothingWaits = new WeakSet();
    link.offered.delete(id);
    await this.endings.endStoppedUnoffered([id]);
  }
}
