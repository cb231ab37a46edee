import { setTimeout as delay } from 'node:timers/promises';
import type {
  Answer,
  AnswerResult,
  Beat,
  Control,
  ControlAnswer,
  EchoPage,
  Environment,
  ExchangesPart,
  ExchangesRead,
  Offer,
  OfferAnswer,
  RestartMode,
  Watch,
  Welcome,
} from '@trawl/contracts';
import { inSpan, type OpenSpan } from '@trawl/tracing';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Libraries } from '../libraries/libraries.js';
import type { Bundles } from '../platform/bundles.js';
import type { Connection } from '../platform/connection.js';
import { Silence } from '../platform/silence.js';
import type { Pool } from '../pool/pool.js';
import type { RunRecords } from '../records/run-record.js';
import { Delivery } from '../spool/delivery.js';
import type { Result } from '../spool/result.js';
import type { RunJournal } from '../spool/run-journal.js';
import { Spool } from '../spool/spool.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { Admission } from './admission.js';
import { HeldExchanges } from './exchanges/held-exchanges.js';
import { Run } from './run.js';

/**
 * How long the end of a recorded run waits for the upload of its record, so that a caller who waits for the end finds the
 * record. After that the platform gets the end first.
 */
const RECORD_MS = 10_000;

/** A heartbeat with so many collections, tables and samples of usage fits in a frame. */
const MAX_ITEMS_PER_BEAT = 1_000;

const SHUT_DOWN = {
  action: 'error',
  code: 'worker_lost',
  text: 'The worker was shut down while the run was on it.',
} as const;

const RESTARTED = {
  action: 'error',
  code: 'worker_restarted',
  text: 'The worker was told to restart at once while the run was on it.',
} as const;

const ENDED_BY_PLATFORM = {
  action: 'error',
  code: 'worker_lost',
  text: 'The platform ended this run while the worker was away.',
} as const;

/**
 * Number of ended runs whose ids are remembered. An offer that was sent twice may arrive for the second time after its
 * run has ended, but always before this many further runs have ended.
 */
const MAX_RECENT = 10_000;

export interface SlotsDependencies {
  /** Number of slots while memory is free and no run is paused. */
  count: number;
  /** Number of slots that the worker can have at most. */
  max: number;
  admission: Admission;
  /** The environments that this worker has. */
  environments: Environment[];
  /** Folder that contains one folder for each run that has sent an echo. */
  runs: string;
  journal: RunJournal;
  pool: Pool;
  bundles: Bundles;
  records: RunRecords;
  libraries: Libraries;
  connection: Connection;
  watchdog: Watchdog;
  log: Logger;
}

interface Entry {
  /** Undefined when the run has ended. */
  run?: Run | undefined;
  spool: Spool;
  delivery: Delivery;
  ended: Promise<void>;
}

/**
 * Manages the runs on this worker: the live runs, each of which has a slot, and the ended runs that the platform has
 * not completely received yet.
 */
export class Slots {
  readonly #deps: SlotsDependencies;
  readonly #entries = new Map<string, Entry>();
  /** Ids of runs that were completely delivered recently. */
  readonly #recent = new LRUCache<string, true>({ max: MAX_RECENT });
  #live = 0;
  #worker = { id: '', name: '' };
  #draining = false;
  readonly #exchanges = new HeldExchanges();
  readonly #silence = new Silence(() => this.#endRetryable());

  constructor(deps: SlotsDependencies) {
    this.#deps = deps;
  }

  /**
   * Number of runs that the worker takes at once now. A paused run gives its slot to another one, because it needs only
   * memory. While memory is short, the worker has no free slot; but without a run it always has one.
   */
  get count(): number {
    const { count, max, admission } = this.#deps;
    const paused = [...this.#entries.values()].filter(({ run }) => run?.isPaused).length;
    return Math.max(1, Math.min(count + paused, max, this.#live + admission.room('nodejs')));
  }

  /** The count, and how many of these slots are free. The free memory, on which both depend, is read once. */
  get capacity(): { slots: number; free: number } {
    const slots = this.count;
    return { slots, free: this.#draining ? 0 : Math.max(0, slots - this.#live) };
  }

  get live(): string[] {
    return [...this.#entries].filter(([, { spool }]) => !spool.result).map(([id]) => id);
  }

  get done(): string[] {
    return [...this.#entries].filter(([, { spool }]) => spool.result && !spool.finished).map(([id]) => id);
  }

  /**
   * Measures what live runs use. Returns what they have written, of those that have written since they were last
   * returned here, and now and then what they use. The rest follows with the next call if it is too much for a heartbeat.
   */
  reports(): NonNullable<Beat['writes']> {
    const reports: NonNullable<Beat['writes']> = [];
    let size = 0;
    for (const { run } of this.#entries.values()) run?.measure();
    for (const [id, { run }] of this.#entries) {
      if (size >= MAX_ITEMS_PER_BEAT) break;
      const changed = run?.writes.changes();
      const usage = run?.usage.due();
      if (!run || (!changed && !usage)) continue;
      const writes = changed ?? run.writes.list;
      reports.push({ id, writes, ...(usage && { usage }) });
      size += writes.length + (usage?.length ?? 0);
    }
    return reports;
  }

  /** Delivers a run that an earlier start of the worker left on disk. */
  recover(spool: Spool): void {
    const delivery = new Delivery(spool, this.#deps.connection, this.#deps.log);
    this.#entries.set(spool.id, { spool, delivery, ended: Promise.resolve() });
    void this.#deliver(spool, delivery);
  }

  welcome({ worker_id, worker_name, kill, forget, controls }: Welcome): void {
    this.#worker = { id: worker_id, name: worker_name };
    for (const id of kill) this.#entries.get(id)?.run?.end(ENDED_BY_PLATFORM);
    for (const id of forget) this.#entries.get(id)?.delivery.finishKnown();
    for (const control of controls) void this.control(control);
  }

  /** Ends all runs, because another process has the worker's lease and the platform has declared them lost. */
  superseded(): void {
    for (const { run } of this.#entries.values()) run?.end(ENDED_BY_PLATFORM);
  }

  /**
   * Call when the platform has answered a frame. Runs that have retries left may then continue until `sentAt` plus
   * `silenceMs`.
   */
  platformAnswered(sentAt: number, silenceMs: number): void {
    this.#deps.watchdog.renewLease(sentAt, silenceMs);
    this.#silence.answered(sentAt, silenceMs);
  }

  #endRetryable(): void {
    for (const { run } of this.#entries.values()) run?.platformIsSilent();
  }

  offer(offer: Offer): OfferAnswer {
    if (this.#entries.has(offer.id) || this.#recent.has(offer.id)) return { accepted: true };
    if (this.#draining) return { refused: 'draining' };
    // If this process hung, the offer may be old, and the platform may have given the run to another worker since then.
    if (this.#silence.isOn) return { refused: 'silent' };
    if (!this.#deps.environments.includes(offer.environment)) return { refused: 'environment' };
    if (this.capacity.free === 0 || !this.#fits(offer.environment)) return { refused: 'full' };
    this.#live += 1;
    try {
      this.#start(offer);
      return { accepted: true };
    } catch (error) {
      this.#live -= 1;
      this.#deps.log.error({ execution: offer.id, reason: String(error) }, 'failed to save an accepted run on disk');
      return { refused: 'full' };
    }
  }

  async control({ id, cmd_seq, cmd }: Control): Promise<ControlAnswer> {
    const entry = this.#entries.get(id);
    const answer = await entry?.run?.control(cmd_seq, cmd);
    return { cmd_seq, ...(answer ?? { action: entry?.spool.result?.action ?? 'stop' }) };
  }

  answer(answer: Answer): AnswerResult {
    return this.#entries.get(answer.id)?.run?.answer(answer) ?? { result: 'unknown' };
  }

  watch({ id, on }: Watch): void {
    this.#entries.get(id)?.run?.live.watch(on);
  }

  async read(id: string, fromSeq: number, limit: number): Promise<EchoPage> {
    try {
      return { items: (await this.#entries.get(id)?.spool.read(fromSeq, limit)) ?? [] };
    } catch (error) {
      // The file is removed when the platform has acknowledged the last chunk. This may happen while the file is being
      // read.
      this.#deps.log.warn({ execution: id, reason: String(error) }, 'failed to read echoes');
      return { items: [] };
    }
  }

  /** Reads a part of what a run saw last. */
  async readExchanges(request: ExchangesRead): Promise<ExchangesPart> {
    try {
      return await this.#exchanges.read(request);
    } catch (error) {
      this.#deps.log.warn({ execution: request.id, reason: String(error) }, 'failed to read the exchanges of a run');
      return { bytes: 0, gz: new Uint8Array() };
    }
  }

  /** Refuses further offers, ends the live runs, and resolves when their results are on disk. */
  async shutDown(): Promise<void> {
    await this.#empty(SHUT_DOWN);
  }

  /** Refuses further offers, and resolves when no run is live. With mode `stop`, ends the live runs. */
  async drain(mode: RestartMode): Promise<void> {
    await this.#empty(mode === 'stop' ? RESTARTED : null);
  }

  async #empty(ending: typeof SHUT_DOWN | typeof RESTARTED | null): Promise<void> {
    this.#draining = true;
    void this.#deps.pool.close();
    const entries = [...this.#entries.values()];
    if (ending) for (const { run } of entries) run?.end(ending);
    await Promise.all(entries.map(({ ended }) => ended));
    await this.#deps.pool.close();
  }

  /** Resolves when the platform has received the results of all runs. */
  async delivered(): Promise<void> {
    await Promise.all(
      [...this.#entries.values()].map(({ spool, delivery }) => spool.result && delivery.finish(spool.result)),
    );
  }

  #start(offer: Offer): void {
    const { runs, journal, connection, admission, log } = this.#deps;
    const failed = (error: unknown) => {
      log.error({ execution: offer.id, reason: String(error) }, 'failed to save the state of a run on disk');
    };
    const spool = Spool.create(offer.id, { runs, journal, failed });
    const delivery = new Delivery(spool, connection, log, {
      before: offer.record
        ? () => Promise.race([run.saveRecord(), delay(RECORD_MS, undefined, { ref: false })])
        : undefined,
      answered: ({ may_read }) => this.#exchanges.finished(offer.id, may_read ?? false),
    });
    const run = new Run(offer, spool, { ...this.#deps, silence: this.#silence, worker: this.#worker });
    const releaseMemory = admission.reserve(offer.environment);
    const entry: Entry = { run, spool, delivery, ended: this.#execute(offer, run, delivery, releaseMemory) };
    void entry.ended.then(() => {
      entry.run = undefined;
    });
    this.#entries.set(offer.id, entry);
    void this.#deliver(spool, delivery);
    log.debug({ execution: offer.id }, 'run started');
  }

  async #execute(
    { id, owner_id, skript, environment, traceparent }: Offer,
    run: Run,
    delivery: Delivery,
    releaseMemory: () => void,
  ): Promise<void> {
    const attributes = { 'trawl.execution.id': id, 'trawl.skript.id': skript.id, 'trawl.environment': environment };
    try {
      const result = await inSpan('run', { kind: 'CONSUMER', parent: traceparent, attributes }, span =>
        executeIn(run, span),
      );
      this.#exchanges.hold({ id, owner_id }, run.exchanges, run.redaction);
      void delivery.finish(result).then(() => this.#deps.pool.refill());
      this.#deps.log.info({ execution: id, action: result.action, error_code: result.error_code }, 'run is over');
    } catch (error) {
      // Only log the error: when the worker starts again, it finds the run without a result and reports it as lost.
      this.#deps.log.error({ execution: id, reason: String(error) }, 'failed to save the result of a run on disk');
    } finally {
      this.#live -= 1;
      releaseMemory();
    }
    await run.saveRecord();
  }

  #fits(environment: Environment): boolean {
    return this.#live === 0 || this.#deps.admission.room(environment) > 0;
  }

  async #deliver(spool: Spool, delivery: Delivery): Promise<void> {
    if (spool.result) void delivery.finish(spool.result);
    try {
      await delivery.run();
    } catch (error) {
      // Only log the error: the run's folder is kept, and the worker's next start tries again.
      this.#deps.log.error({ execution: spool.id, reason: String(error) }, 'failed to deliver a run to the platform');
      // If the run is live, wait for its end before its entry is removed, so that commands still reach it.
      await this.#entries.get(spool.id)?.ended;
    }
    this.#recent.set(spool.id, true);
    this.#entries.delete(spool.id);
  }
}

async function executeIn(run: Run, span: OpenSpan | undefined): Promise<Result> {
  const result = await run.execute();
  span?.set({ 'trawl.action': result.action });
  if (result.action === 'error') span?.fail(result.error_code ?? 'error');
  return result;
}
