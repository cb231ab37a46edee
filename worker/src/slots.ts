import type {
  Control,
  ControlAnswer,
  EchoPage,
  Environment,
  Offer,
  OfferAnswer,
  RestartMode,
  Watch,
  Welcome,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Bundles } from './bundles.js';
import type { Connection } from './connection.js';
import { Delivery } from './delivery.js';
import type { Libraries } from './libraries/libraries.js';
import type { Pool } from './pool.js';
import { Run } from './run.js';
import type { RunJournal } from './run-journal.js';
import { Silence } from './silence.js';
import { Spool } from './spool.js';
import type { Watchdog } from './watchdog.js';

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

/** An offer that is given once more can be on its way while the finish of its run is: not longer than so many runs take. */
const MAX_REMEMBERED = 10_000;

export interface SlotsDependencies {
  count: number;
  /** Those that runs may have here. */
  environments: Environment[];
  /** Holds a folder for each run that has said something. */
  runs: string;
  journal: RunJournal;
  pool: Pool;
  bundles: Bundles;
  libraries: Libraries;
  connection: Connection;
  watchdog: Watchdog;
  log: Logger;
}

/** What the worker has of one run. `run` is undefined once it is over. */
interface Entry {
  run?: Run | undefined;
  spool: Spool;
  delivery: Delivery;
  ended: Promise<void>;
}

/** The runs that are on this worker: those under way, each in a slot, and those that the platform has not all of yet. */
export class Slots {
  readonly #deps: SlotsDependencies;
  readonly #entries = new Map<string, Entry>();
  /** Runs that this worker has had lately. */
  readonly #had = new Set<string>();
  #free: number;
  #worker = { id: '', name: '' };
  #draining = false;
  readonly #silence = new Silence(() => this.#endRetried());

  constructor(deps: SlotsDependencies) {
    this.#deps = deps;
    this.#free = deps.count;
  }

  get free(): number {
    return this.#draining ? 0 : this.#free;
  }

  get live(): string[] {
    return [...this.#entries].filter(([, { spool }]) => !spool.result).map(([id]) => id);
  }

  get done(): string[] {
    return [...this.#entries].filter(([, { spool }]) => spool.result && !spool.finished).map(([id]) => id);
  }

  /** Goes on with a run that ended before this worker started. */
  takeUp(spool: Spool): void {
    const delivery = new Delivery(spool, this.#deps.connection, this.#deps.log);
    this.#entries.set(spool.id, { spool, delivery, ended: Promise.resolve() });
    void this.#deliver(spool, delivery);
  }

  welcome({ worker_id, worker_name, kill, forget, controls }: Welcome): void {
    this.#worker = { id: worker_id, name: worker_name };
    for (const id of kill) {
      const text = 'The platform ended this run while the worker was away.';
      this.#entries.get(id)?.run?.end({ action: 'error', code: 'worker_lost', text });
    }
    for (const id of forget) this.#entries.get(id)?.delivery.finishKnown();
    for (const control of controls) void this.control(control);
  }

  /** The platform has been heard of: runs that may be tried again may go on for `SILENCE_MS` from `at`. */
  heard(at: number): void {
    this.#deps.watchdog.heard(at);
    this.#silence.heard(at);
  }

  #endRetried(): void {
    for (const { run } of this.#entries.values()) run?.platformIsSilent();
  }

  offer(offer: Offer): OfferAnswer {
    if (this.#entries.has(offer.id) || this.#had.has(offer.id)) return { accepted: true };
    if (this.#draining) return { refused: 'draining' };
    // It may have been sent before this process stood still, and its run be over and tried again elsewhere.
    if (this.#silence.isOn) return { refused: 'silent' };
    if (!this.#deps.environments.includes(offer.environment)) return { refused: 'environment' };
    if (this.#free === 0) return { refused: 'full' };
    this.#free -= 1;
    try {
      this.#begin(offer);
      return { accepted: true };
    } catch (error) {
      this.#free += 1;
      this.#deps.log.error({ execution: offer.id, reason: String(error) }, 'a run could not be kept on disk');
      return { refused: 'full' };
    }
  }

  async control({ id, cmd_seq, cmd }: Control): Promise<ControlAnswer> {
    const entry = this.#entries.get(id);
    const answer = await entry?.run?.control(cmd_seq, cmd);
    return { cmd_seq, ...(answer ?? { action: entry?.spool.result?.action ?? 'stop' }) };
  }

  watch({ id, on }: Watch): void {
    this.#entries.get(id)?.run?.live.watch(on);
  }

  async read(id: string, fromSeq: number, limit: number): Promise<EchoPage> {
    try {
      return { items: (await this.#entries.get(id)?.spool.read(fromSeq, limit)) ?? [] };
    } catch (error) {
      // The platform may have taken the last chunk meanwhile, and the file with it.
      this.#deps.log.warn({ execution: id, reason: String(error) }, 'echoes could not be read');
      return { items: [] };
    }
  }

  /** Takes no more runs, ends those under way, and resolves when their results are kept. */
  async shutDown(): Promise<void> {
    await this.#empty(SHUT_DOWN);
  }

  /** Takes no more runs, and resolves when those under way are over: by themselves, or ended now. */
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

  /** Resolves when the platform has every result. */
  async finished(): Promise<void> {
    await Promise.all(
      [...this.#entries.values()].map(({ spool, delivery }) => spool.result && delivery.finish(spool.result)),
    );
  }

  #begin(offer: Offer): void {
    const { runs, journal, connection, log } = this.#deps;
    const failed = (error: unknown) => {
      log.error({ execution: offer.id, reason: String(error) }, 'what became of a run could not be kept on disk');
    };
    const spool = Spool.create(offer.id, { runs, journal, failed });
    const delivery = new Delivery(spool, connection, log);
    const isSilent = () => this.#silence.isOn;
    const run = new Run(offer, spool, { ...this.#deps, isSilent, worker: this.#worker });
    const entry: Entry = { run, spool, delivery, ended: this.#execute(run, delivery) };
    void entry.ended.then(() => {
      entry.run = undefined;
    });
    this.#entries.set(offer.id, entry);
    void this.#deliver(spool, delivery);
    log.debug({ execution: offer.id }, 'run begins');
  }

  async #execute(run: Run, delivery: Delivery): Promise<void> {
    try {
      const result = await run.toEnd();
      void delivery.finish(result).then(() => this.#deps.pool.hasTime());
      this.#deps.log.info(
        { execution: result.id, action: result.action, error_code: result.error_code },
        'run is over',
      );
    } catch (error) {
      // Its folder stays: the worker's next start reports it as lost.
      this.#deps.log.error({ reason: String(error) }, 'the result of a run could not be kept on disk');
    } finally {
      this.#free += 1;
    }
  }

  async #deliver(spool: Spool, delivery: Delivery): Promise<void> {
    if (spool.result) void delivery.finish(spool.result);
    try {
      await delivery.run();
    } catch (error) {
      // The folder stays: the worker's next start tries again.
      this.#deps.log.error({ execution: spool.id, reason: String(error) }, 'a run could not be given to the platform');
      // A run that goes on stays in reach, and its result is given all the same.
      await this.#entries.get(spool.id)?.ended;
    }
    this.#remember(spool.id);
    this.#entries.delete(spool.id);
  }

  #remember(id: string): void {
    this.#had.add(id);
    if (this.#had.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#had;
    this.#had.delete(oldest as string);
  }
}
