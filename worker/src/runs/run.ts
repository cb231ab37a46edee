import { dirname, posix, sep } from 'node:path';
import {
  type Answer,
  type AnswerResult,
  type Command,
  type ControlAnswer,
  type FinalAction,
  LIMITS,
  type Offer,
  type RunErrorCode,
} from '@trawl/contracts';
import { inSpan } from '@trawl/tracing';
import type { Logger } from 'pino';
import { runEnvironment } from '../environments/environments.js';
import type { Libraries } from '../libraries/libraries.js';
import type { BundleJson, Bundles } from '../platform/bundles.js';
import type { Connection } from '../platform/connection.js';
import type { Silence } from '../platform/silence.js';
import type { Pool } from '../pool/pool.js';
import type { TakenProcess } from '../pool/taken-process.js';
import { warmKey } from '../pool/warm-key.js';
import type { ProcessEnd } from '../process/run-process.js';
import type { StartCommand } from '../protocol/pipe-messages.js';
import { withoutTerminalCodes } from '../protocol/terminal-codes.js';
import { RunRecord, type RunRecords, sendRecord } from '../records/run-record.js';
import { Redaction } from '../redaction/redaction.js';
import type { Result } from '../spool/result.js';
import type { Spool } from '../spool/spool.js';
import { RunExchanges } from './exchanges/run-exchanges.js';
import { LiveView } from './live-view.js';
import {
  FLOODED,
  failure,
  type Outcome,
  platformSilent,
  processEnded,
  STOPPED,
  startFailure,
  storableStack,
} from './outcome.js';
import { RunPause, TimeLimit } from './pause.js';
import { RunChannel } from './run-channel.js';
import { RunEchoes } from './run-echoes.js';
import { checkedRequests, RunUsage } from './run-usage.js';
import { CallDelivery } from './storage/call-delivery.js';
import { PostgresRelay } from './storage/postgres-relay.js';
import { RunWrites } from './storage/run-writes.js';
import { StorageRelay } from './storage/storage-relay.js';
import { RunWaits } from './waits.js';

/** How long the worker waits for a skript to return after it was told to stop. */
const STOP_GRACE_MS = 2_000;

export interface RunDependencies {
  pool: Pick<Pool, 'take'>;
  bundles: Pick<Bundles, 'jsonOf'>;
  records: RunRecords;
  libraries: Pick<Libraries, 'has' | 'take'>;
  connection: Pick<Connection, 'show' | 'deliver'>;
  /** Tells whether the platform is silent. During a silence, the watchdog ends runs that have retries left. */
  silence: Pick<Silence, 'isOn' | 'ms'>;
  /** The worker's name on the platform. */
  worker: { id: string; name: string };
  log: Logger;
  /** How long storage calls are retried while the database is unreachable, in ms. Default: that of `CallDelivery`. */
  storageWaitMs?: number;
}

/** One run, from the time when its offer was accepted until its result is on disk. */
export class Run {
  readonly live: LiveView;
  readonly writes = new RunWrites();
  readonly usage = new RunUsage();
  readonly exchanges = new RunExchanges();
  readonly redaction: Redaction;
  readonly #offer: Offer;
  readonly #spool: Spool;
  readonly #deps: RunDependencies;
  readonly #echoes: RunEchoes;
  readonly #waits: RunWaits;
  readonly #storage: StorageRelay;
  readonly #postgres: PostgresRelay;
  readonly #pause: RunPause;
  readonly #record: RunRecord | null;
  #recordSaved: Promise<void> | undefined;
  /** Aborted when the outcome is known. */
  readonly #over = new AbortController();
  readonly #outcome: Promise<Outcome>;
  /** Ends the run with an outcome, unless it has reached a limit of time. Only the first call has an effect. */
  #decide: (outcome: Outcome) => void = () => {};
  #taken: TakenProcess | undefined;
  #channel: RunChannel | undefined;
  #releaseLibraries: (() => void) | undefined;
  #hasBegun = false;
  #isStopping = false;
  /** The outcome of a run that has reached a limit of time, from that moment on. Nothing that happens later changes it. */
  #timedOut: Outcome | undefined;
  #highestCommand = -1;
  /** The reason why the last command failed; null if it did not fail. */
  #refused: string | null = null;
  /** The outcome of the run if main.js has returned without an error; otherwise undefined. */
  #returned: Outcome | undefined;
  /** Resolves when the worker has read everything that the process wrote before it ended. */
  #allRead: Promise<void> | undefined;

  constructor(offer: Offer, spool: Spool, deps: RunDependencies) {
    this.#offer = offer;
    this.#spool = spool;
    this.#deps = deps;
    const { id, token } = offer;
    const over = this.#over.signal;
    this.live = new LiveView((fromSeq, items) => deps.connection.show(id, fromSeq, items));
    this.redaction = new Redaction(offer.input_secret);
    this.#echoes = new RunEchoes(spool, this.live, this.redaction, () => this.#decide(FLOODED));
    this.#waits = new RunWaits(deps.connection, id, over);
    const delivery = new CallDelivery(deps.connection, { id, token }, this.#waits, over, deps.storageWaitMs);
    this.#storage = new StorageRelay(delivery, this.writes, this.redaction);
    this.#postgres = new PostgresRelay(delivery, this.writes);
    const redacted = (text: string) => this.#redacted(text);
    this.#record = offer.record ? new RunRecord(`${spool.folder}.record`, { log: deps.log, redacted }) : null;
    this.#pause = new RunPause(
      new TimeLimit(offer.limits.time_ms, () => void this.#timeOut()),
      new TimeLimit(offer.limits.pause_ms, () => this.#pauseTooLong()),
    );
    this.#outcome = new Promise(resolve => {
      this.#decide = outcome => {
        this.#pause.check();
        // If a run was told to stop and an error happens after that, it counts as stopped and not as failed.
        const asked = this.#isStopping && outcome.action === 'error' ? STOPPED : outcome;
        resolve(this.#timedOut ?? asked);
      };
    });
  }

  /** Executes the run and saves its result. The promise never rejects because of the skript. */
  async execute(): Promise<Result> {
    const beginning = this.#begin().catch(error => this.#decide(startFailure(error)));
    const outcome = await this.#outcome;
    this.#pause.end();
    this.#over.abort(new Error('the run is over'));
    await beginning;
    const hasReturned = outcome === this.#returned;
    // If main.js has returned, send the result first and end the process afterwards. Otherwise the platform may retry
    // the run when it gets the result, so kill all processes of the run first.
    if (hasReturned) await this.#taken?.pipes.printedRead();
    else await this.#kill().then(() => this.#allRead);
    this.#channel?.close();
    this.live.flush();
    // After a command such as pause or stop, the process may be in a state that the next run does not expect.
    const isReusable = hasReturned && this.#offer.warm && this.#highestCommand < 0 && !this.#channel?.isLast;
    if (isReusable) this.#taken?.keep();
    else void this.#taken?.end();
    this.#releaseLibraries?.();
    const [writes, usage, rows] = [this.writes.list, this.usage.list, this.#storage.rows];
    const requested = checkedRequests(this.#channel?.requests, this.redaction);
    const requests = this.usage.isLong || requested.some(({ blocked }) => blocked) ? requested : [];
    const written = {
      ...(writes.length > 0 && { writes }),
      ...(usage.length > 0 && { usage }),
      ...(requests.length > 0 && { requests }),
      ...(rows > 0 && { rows }),
      ...(this.exchanges.count > 0 && { exchanges: this.exchanges.count }),
    };
    return this.#spool.finish({ ...this.#withSafeStack(outcome), ...written });
  }

  /** Keeps the record of the run, if it has one. Call it when the run has ended. */
  async saveRecord(): Promise<void> {
    this.#recordSaved ??= this.#record?.save(this.#offer.id, this.#deps.records, this.redaction.ofSessions);
    await this.#recordSaved;
  }

  /** Executes a command, unless a later command has already arrived. Returns the state of the run after that. */
  async control(sequence: number, command: Command): Promise<Omit<ControlAnswer, 'cmd_seq'>> {
    if (sequence > this.#highestCommand) {
      this.#highestCommand = sequence;
      this.#refused = null;
      if (command === 'stop') this.#stop();
      const refused = this.#isStopping ? null : await this.#pause.set(command === 'pause');
      if (sequence === this.#highestCommand) this.#refused = refused;
    }
    const action = this.#isStopping ? 'stop' : (await this.#pause.isOn()) ? 'pause' : 'start';
    return this.#refused === null ? { action } : { action, refused: this.#refused };
  }

  /** Measures what the run uses, unless it is paused or has not begun. */
  measure(): void {
    if (!this.#hasBegun || this.isPaused) return;
    this.usage.measure(() => this.#taken?.process.usage() ?? null);
  }

  get isPaused(): boolean {
    return this.#pause.isPaused;
  }

  /** Answers a question of the run. */
  answer({ seq, answer, key }: Answer): AnswerResult {
    const questions = this.#over.signal.aborted ? undefined : this.#channel?.questions;
    return questions?.answer(seq, answer, key) ?? { result: 'unknown' };
  }

  /** Ends the run at once with this result. */
  end(outcome: { action: FinalAction; code: RunErrorCode | null; text: string | null }): void {
    this.#decide({ action: outcome.action, output: null, error_code: outcome.code, error_stack: outcome.text });
  }

  /** Ends the run if it has retries left, because the platform may start its next attempt on another worker. */
  platformIsSilent(): void {
    if (this.#offer.ends_with_lease) this.#decide(platformSilent(this.#deps.silence.ms));
  }

  async #begin(): Promise<void> {
    const over = this.#over.signal;
    const { bundle: hash, skript, input, input_secret, lock, warm, limits, id, replay } = this.#offer;
    // Install the libraries while the bundle is loaded. It says which version of Node the process must have. Wait for
    // both with `allSettled`: even if the bundle cannot be loaded, the run must wait for the process and end it.
    const loaded = this.#deps.bundles.jsonOf(hash, over);
    const ready = Promise.allSettled([loaded, inSpan('take process', {}, () => this.#takeProcess(loaded))]);
    const [bundle, taken] = await this.#waits.ifLong('process_starting', ready);
    if (taken.status === 'rejected') throw taken.reason;
    if (bundle.status === 'rejected') throw bundle.reason;
    over.throwIfAborted();
    const { process, run } = taken.value;
    const start: Omit<StartCommand, 'code' | 'files'> = {
      t: 'start',
      run,
      warm,
      input,
      input_secret,
      execution_id: id,
      retry_of: this.#offer.retry_of ?? null,
      skript,
      worker: this.#deps.worker,
      keeps_exchanges: this.#offer.keeps_exchanges ?? false,
      row_key: this.#offer.row_key ?? null,
      output_bytes: Math.min(limits.output_bytes, LIMITS.outputBytes),
      folder: process.folder,
      libraries: lock === null ? null : posix.join(process.libraries, lock),
      ...(this.#record && { record: true }),
      ...(this.#offer.polite && { polite: true }),
      ...(this.#offer.proxy && { proxy: this.#offer.proxy }),
      ...(replay && { replay: { on_miss: replay.on_miss } }),
    };
    await this.#pause.untilOff(over);
    await this.#sendRecord();
    over.throwIfAborted();
    this.#hasBegun = true;
    this.usage.begin();
    this.#pause.begin();
    process.begin();
    this.#channel?.start(start, run === 1 ? bundle.value : { ...bundle.value, codeJson: 'null' });
  }

  /** Gives the process the record that the run replays. */
  async #sendRecord(): Promise<void> {
    const { replay } = this.#offer;
    const channel = this.#channel;
    if (!replay || !channel) return;
    const target = { of: replay.of, path: `${this.#spool.folder}.replay`, signal: this.#over.signal };
    await sendRecord(this.#deps.records, target, piece => channel.sendRecord(piece));
  }

  async #takeProcess(bundle: Promise<BundleJson>): Promise<TakenProcess> {
    // Install the libraries before taking a process, because the process could serve another run during that time.
    await this.#takeLibraries();
    const { node } = await bundle;
    const { environment, owner_id: ownerId, ends_with_lease: endsWithLease } = this.#offer;
    const isOffline = this.#offer.replay?.on_miss === 'fail';
    const key = warmKey(this.#offer);
    const wish = { environment, node, isOffline, ownerId, key, endsWithLease, over: this.#over.signal };
    const taken = await this.#deps.pool.take(wish);
    this.#taken = taken;
    this.#pause.attach(taken.process);
    this.#channel = new RunChannel({
      taken,
      echoes: this.#echoes,
      storage: this.#storage,
      postgres: this.#postgres,
      redaction: this.redaction,
      record: this.#record,
      exchanges: this.#offer.keeps_exchanges ? this.exchanges : null,
      maxOutputBytes: this.#offer.limits.output_bytes,
      events: {
        returned: outcome => this.#return(outcome),
        failed: outcome => this.#decide(outcome),
        ended: end => {
          if (!this.#returned) this.#allRead = this.#processEnded(end);
        },
      },
    });
    taken.pipes.listen(this.#channel);
    return taken;
  }

  /**
   * Installs the skript's libraries. This does not count towards the run's time limit, which begins when the process
   * gets the bundle.
   */
  async #takeLibraries(): Promise<void> {
    const { lock, owner_id: account } = this.#offer;
    if (lock === null) return;
    const { libraries } = this.#deps;
    const isWaiting = !libraries.has(lock);
    const endWait = isWaiting ? this.#waits.begin('libraries_installing') : () => {};
    const echo = (type: 'log' | 'warn', text: string) => this.#echoes.addLine(type, text);
    try {
      this.#releaseLibraries = await libraries.take(lock, {
        account,
        echo,
        queued: place => this.#waits.setPlace(place),
        signal: this.#over.signal,
      });
    } finally {
      endWait();
    }
  }

  #return(outcome: Outcome): void {
    this.#pause.check();
    if (this.#timedOut) {
      const { error_code, error_stack } = this.#timedOut;
      const late = `${error_stack} main.js returned after that, so its output is not saved.`;
      this.#timedOut = failure(error_code as RunErrorCode, late);
    }
    const final: Outcome = this.#isStopping && outcome.action === 'end' ? { ...outcome, action: 'stop' } : outcome;
    if (final.action !== 'error' && !this.#timedOut) this.#returned ??= final;
    this.#decide(final);
  }

  async #processEnded(end: ProcessEnd): Promise<void> {
    // The time until everything is read does not count.
    this.#pause.end();
    // If the platform is silent, the watchdog may have killed the process while this worker hung. So report the silence
    // as the reason.
    if (this.#deps.silence.isOn) this.platformIsSilent();
    // Kill the child processes of the run, because they may keep its pipes open.
    await this.#kill();
    const { process, pipes } = this.#taken as TakenProcess;
    await pipes.allRead();
    this.#decide(processEnded(end, process.limits, (this.#channel as RunChannel).lastWords));
  }

  #stop(): void {
    if (this.#isStopping) return;
    this.#pause.check();
    this.#isStopping = true;
    if (!this.#hasBegun) {
      this.#decide(STOPPED);
      return;
    }
    setTimeout(() => this.#decide(STOPPED), STOP_GRACE_MS);
    // Resume the run first, because a frozen process cannot read the command.
    void this.#pause.set(false).then(() => this.#channel?.send({ t: 'stop' }));
  }

  async #timeOut(): Promise<void> {
    // A run that was told to stop before has its grace, and ends as stopped.
    if (this.#isStopping) return;
    const { limits, environment } = this.#offer;
    const text = `The run took longer than its time limit of ${limits.time_ms} ms (timeout_ms of the start, else time_limit_ms of the skript).`;
    this.#timedOut = failure('time_limit', text);
    const position = await this.#channel?.position(runEnvironment(environment).positionGraceMs);
    const busy = ' It did not answer when the worker asked where it was: it was calculating, or in a loop.';
    this.#timedOut = failure('time_limit', text + (position ?? busy));
    this.#decide(this.#timedOut);
  }

  /** Resumes the run before it ends, because a frozen process cannot be killed everywhere. */
  #pauseTooLong(): void {
    if (this.#isStopping) return;
    const text = `The run was paused for longer than the ${this.#offer.limits.pause_ms} ms that the platform allows (TRAWL_MAX_PAUSE_MS).`;
    const outcome = failure('pause_limit', text);
    this.#timedOut = outcome;
    void this.#pause.set(false).then(() => this.#decide(outcome));
  }

  /**
   * Kills the run's processes. Never rejects: the run must end even if a process cannot be killed, and that process is
   * not used for another run.
   */
  async #kill(): Promise<void> {
    try {
      await this.#taken?.kill();
    } catch (error) {
      this.#deps.log.error({ execution: this.#offer.id, reason: String(error) }, "failed to kill the run's processes");
    }
  }

  #withSafeStack(outcome: Outcome): Outcome {
    const { error_stack } = outcome;
    return error_stack === null ? outcome : { ...outcome, error_stack: storableStack(this.#redacted(error_stack)) };
  }

  /** Removes secrets, codes of terminals, and the paths of the worker's folders, which error messages of the system contain. */
  #redacted(text: string): string {
    const plain = withoutTerminalCodes(text);
    const inRunFolder = this.#taken ? plain.replaceAll(this.#taken.process.folder + sep, '') : plain;
    return this.redaction.text(inRunFolder.replaceAll(dirname(dirname(this.#spool.folder)) + sep, ''));
  }
}
