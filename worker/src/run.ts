import { dirname, posix, sep } from 'node:path';
import type { Writable } from 'node:stream';
import {
  type Command,
  type ControlAnswer,
  type FinalAction,
  LIMITS,
  type Offer,
  type RunErrorCode,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Bundles } from './bundles.js';
import type { Connection } from './connection.js';
import { cutText } from './cut-text.js';
import type { ProcessEnd } from './executor/executor.js';
import { limitReached } from './executor/limits.js';
import type { Libraries } from './libraries/libraries.js';
import { LiveView } from './live-view.js';
import {
  type CommandToRun,
  isBatch,
  isRunnerError,
  messageOf,
  type RunnerErrorCode,
  type StartCommand,
  textOf,
} from './pipe-messages.js';
import type { Pool, TakenProcess } from './pool.js';
import { PRINTED_LINE_BYTES } from './process-pipes.js';
import { Redaction } from './redaction.js';
import { checkedEcho, redactedEcho } from './run-echo.js';
import { endOf, FLOODED, failure, fitStack, notBegun, type Outcome, SILENT, STOPPED } from './run-outcome.js';
import { checkedOutput } from './run-output.js';
import { RunPause, TimeLimit } from './run-pause.js';
import { RunWaits } from './run-waits.js';
import type { Spool } from './spool.js';
import type { Result } from './spool-journal.js';
import { StorageRelay } from './storage-relay.js';
import { warmKey } from './warm-key.js';

/** How long a skript that was told to stop may take, and one whose time is up to say where it stands. */
const STOP_GRACE_MS = 2_000;
const PLACE_GRACE_MS = 200;
/** With a browser it also shows the page that it is on, for which the runner takes 2 s at most. */
const PAGE_GRACE_MS = 2_200;
/** What no honest runner sends is reported up to so many times and characters, then only dropped. */
const MAX_UNREADABLE = 100;
const MAX_UNREADABLE_CHARS = 1024 * 1024;
/** Between two pieces of what a run says that has said all that is kept, or that makes noise. */
const FULL_PAUSE_MS = 20;
/** As Node words what the system refuses. */
const SYSTEM_ERROR = /^(?:[A-Z][a-z ]+: )?Error: (E[A-Z]+): /;
/** Answers that the run has not read: more than an honest runner can have asked for at a time. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export interface RunDependencies {
  pool: Pool;
  bundles: Bundles;
  libraries: Libraries;
  connection: Connection;
  /** Whether the platform was not heard of for so long that the watchdog ends runs. */
  isSilent(): boolean;
  /** The worker's name on the platform. */
  worker: { id: string; name: string };
  log: Logger;
}

/** One run, from the offer that was accepted to the result on disk. */
export class Run {
  readonly live: LiveView;
  readonly #offer: Offer;
  readonly #spool: Spool;
  readonly #deps: RunDependencies;
  readonly #redaction: Redaction;
  readonly #waits: RunWaits;
  readonly #storage: StorageRelay;
  readonly #over = new AbortController();
  readonly #outcome: Promise<Outcome>;
  #decide: (outcome: Outcome) => void = () => {};
  #taken: TakenProcess | undefined;
  #leaveLibraries: (() => void) | undefined;
  #hasEnded = false;
  /** Resolves when all that the process wrote before its end has been read. */
  #allRead: Promise<void> | undefined;
  /** What main.js has returned, if it has. */
  #settledOutcome: Outcome | undefined;
  #closed = false;
  #exiting = '';
  #place: ((text: string) => void) | undefined;
  #printed = '';
  /** Characters of echoes that came when no more were kept. */
  #unkeptChars = 0;
  #unreadable = 0;
  #unreadableChars = 0;
  #highestCommand = -1;
  /** Why the last command could not be obeyed. */
  #refused: string | null = null;
  #begun = false;
  #stopping = false;
  readonly #pause: RunPause;

  constructor(offer: Offer, spool: Spool, deps: RunDependencies) {
    this.#offer = offer;
    this.#spool = spool;
    this.#deps = deps;
    this.#redaction = new Redaction(offer.input_secret);
    const over = this.#over.signal;
    this.#waits = new RunWaits(deps.connection, offer.id, over);
    this.#storage = new StorageRelay(deps.connection, { id: offer.id, token: offer.token }, this.#waits, over);
    this.live = new LiveView((from_seq, items) => deps.connection.show({ id: offer.id, from_seq, items }));
    this.#outcome = new Promise(resolve => {
      // Whatever becomes of a run that was told to stop: it has stopped.
      this.#decide = outcome => resolve(this.#stopping && outcome.action === 'error' ? STOPPED : outcome);
    });
    this.#pause = new RunPause(new TimeLimit(offer.limits.time_ms, () => this.#timeIsUp()));
  }

  /** Runs to the end, whatever happens, and keeps the result. Never throws for what the skript does. */
  async toEnd(): Promise<Result> {
    const begun = this.#begin().catch(error => this.#decide(notBegun(error)));
    const outcome = await this.#outcome;
    this.#pause.end();
    this.#over.abort(new Error('the run is over'));
    await begun;
    // A run that is over by itself is told at once, and its process ended behind. Whatever else ends it, nothing of it
    // may be going on when that is told: it may be tried again.
    const hasSettled = outcome === this.#settledOutcome;
    if (hasSettled) await this.#taken?.pipes.printedRead();
    else await this.#kill().then(() => this.#allRead);
    this.#closed = true;
    this.live.flush();
    // A process that was ever told to do something may be where no other run expects it.
    if (hasSettled && this.#offer.warm && this.#highestCommand < 0) this.#taken?.keep();
    else void this.#taken?.end();
    this.#leaveLibraries?.();
    return this.#spool.finish(this.#presentable(outcome));
  }

  /** What cannot be ended is told of as if it were: the run would never end, and its process gets no other. */
  async #kill(): Promise<void> {
    try {
      await this.#taken?.kill();
    } catch (error) {
      this.#deps.log.error({ execution: this.#offer.id, reason: String(error) }, 'something of a run goes on');
    }
  }

  /** Takes a command; the one with the highest number counts. Answers what the run is in once it is done. */
  async control(sequence: number, command: Command): Promise<Omit<ControlAnswer, 'cmd_seq'>> {
    if (sequence > this.#highestCommand) {
      this.#highestCommand = sequence;
      this.#refused = null;
      if (command === 'stop') this.#stop();
      const refused = this.#stopping ? null : await this.#pause.set(command === 'pause');
      if (sequence === this.#highestCommand) this.#refused = refused;
    }
    const action = this.#stopping ? 'stop' : (await this.#pause.on) ? 'pause' : 'start';
    return this.#refused === null ? { action } : { action, refused: this.#refused };
  }

  /** Ends the run at once, with this result. */
  end(outcome: { action: FinalAction; code: RunErrorCode | null; text: string | null }): void {
    this.#decide({ action: outcome.action, output: null, error_code: outcome.code, error_stack: outcome.text });
  }

  async #begin(): Promise<void> {
    const { pool, bundles, worker } = this.#deps;
    // The process starts while the bundle is on its way.
    const { environment, ends_with_lease: endsWithLease } = this.#offer;
    const wish = { environment, key: warmKey(this.#offer), endsWithLease, over: this.#over.signal };
    // Not before its libraries are there: nobody else could have it meanwhile.
    const starting = this.#takeLibraries()
      .then(() => pool.take(wish))
      .then(taken => this.#listen(taken));
    const ready = Promise.allSettled([bundles.jsonOf(this.#offer.bundle, this.#over.signal), starting]);
    const [bundle, started] = await this.#waits.ifLong('process_starting', ready);
    if (started.status === 'rejected') throw started.reason;
    if (bundle.status === 'rejected') throw bundle.reason;
    this.#over.signal.throwIfAborted();
    const { process, run } = started.value;
    const { id, input, input_secret, skript, limits } = this.#offer;
    const start: Omit<StartCommand, 'code'> = {
      t: 'start',
      run,
      warm: this.#offer.warm,
      input,
      input_secret,
      execution_id: id,
      skript,
      worker,
      output_bytes: Math.min(limits.output_bytes, LIMITS.outputBytes),
      folder: process.folder,
      libraries: this.#offer.lock === null ? null : posix.join(process.libraries, this.#offer.lock),
    };
    await this.#pause.off(this.#over.signal);
    this.#over.signal.throwIfAborted();
    this.#begun = true;
    this.#pause.begin();
    process.begin();
    const code = run === 1 ? bundle.value : 'null';
    process.commands.write(`${JSON.stringify(start).slice(0, -1)},"code":${code}}\n`);
  }

  /** The time that it takes is none of the run's: its limit begins when the process gets the bundle. */
  async #takeLibraries(): Promise<void> {
    const { lock } = this.#offer;
    if (lock === null) return;
    const { libraries } = this.#deps;
    const goesOn = libraries.has(lock) ? () => {} : this.#waits.begin('libraries_installing');
    const echo = (type: 'log' | 'warn', text: string) => this.#echo([type, text, new Date().toISOString()]);
    try {
      this.#leaveLibraries = await libraries.take(lock, { echo, signal: this.#over.signal });
    } finally {
      goesOn();
    }
  }

  /** The platform was not heard of for so long that it may give the run's next try to another worker. */
  platformIsSilent(): void {
    if (this.#offer.ends_with_lease) this.#decide(SILENT);
  }

  #listen(taken: TakenProcess): TakenProcess {
    const { process, pipes } = taken;
    this.#taken = taken;
    this.#pause.has(process);
    pipes.listen({
      message: (text, cut) => this.#take(text, cut),
      printed: (type, text, cut) => this.#print(type, text, cut),
      pace: pipe => this.#pace() ?? (pipe === 'messages' ? this.#storagePace(process.commands) : undefined),
      limitReached: ({ code, text }) => this.#decide(failure(code, text)),
      ended: end => {
        this.#hasEnded = true;
        this.#storage.release();
        if (!this.#settledOutcome) this.#allRead = this.#readLeft(taken, end);
      },
    });
    return taken;
  }

  async #readLeft({ process, pipes }: TakenProcess, end: ProcessEnd): Promise<void> {
    // Then it was the watchdog, which is sooner where this worker stands still.
    if (this.#deps.isSilent()) this.platformIsSilent();
    // What the process left behind may hold its pipes open.
    await this.#kill();
    await pipes.allRead();
    const said = { printed: this.#printed, exiting: this.#exiting };
    this.#decide(endOf(end, process.limits, said));
  }

  #pace(): Promise<void> | undefined {
    if (this.#spool.congested) return this.#spool.written();
    const view = this.live.pace();
    if (view) return view;
    // What is left in the pipes of a process that is gone is little, and its slot is waited for.
    if (this.#hasEnded) return undefined;
    // Nothing more is kept; going on at full speed would only take the worker's time from other runs.
    return this.#spool.full || this.#isNoisy ? pause(FULL_PAUSE_MS) : undefined;
  }

  get #isNoisy(): boolean {
    return this.#unreadable >= MAX_UNREADABLE || this.#unreadableChars >= MAX_UNREADABLE_CHARS;
  }

  #storagePace(commands: Writable): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    if (this.#storage.congested) return this.#storage.freed();
    if (commands.writableLength < MAX_UNREAD_BYTES) return undefined;
    return new Promise(resolve => {
      for (const event of ['drain', 'close']) commands.once(event, resolve);
    });
  }

  /** One line that the run wrote. No field of it is trusted. */
  #take(line: string, cut: boolean): void {
    if (this.#closed) return;
    const said = cut ? null : messageOf(line);
    const message = said?.run === this.#taken?.run ? said : null;
    if (message?.t === 'echoes' && isBatch(message.items)) for (const item of message.items) this.#echo(item);
    else if (message?.t === 'storage') void this.#relay(message.call, message.op);
    else if (message?.t === 'settled') this.#settled(textOf(message.output));
    else if (message?.t === 'failed' && isRunnerError(message.code)) this.#failed(message.code, message.stack);
    else if (message?.t === 'exiting') this.#exiting = this.#said(message.stack, LIMITS.errorStackChars);
    else if (message?.t === 'place') this.#place?.(this.#said(message.text, 2_000));
    else this.#dropped(line.length);
  }

  /** Of no more than this many characters, and without the secret: what is put into a text later cannot be cut there. */
  #said(text: unknown, maxChars: number): string {
    return this.#redaction.text(cutText(textOf(text), maxChars));
  }

  #dropped(chars: number): void {
    if (!this.#isNoisy) this.#echo(['warn', 'The run sent something that the worker cannot read; it was dropped.', '']);
    this.#unreadable += 1;
    this.#unreadableChars += chars;
  }

  #echo(item: unknown): void {
    const [type, msg, time] = redactedEcho(checkedEcho(item), this.#redaction);
    const echo = this.#spool.append(type, time, msg);
    if (echo) this.live.add(echo);
    else this.#notKept(msg.length + 1);
  }

  #notKept(chars: number): void {
    this.#unkeptChars += chars;
    if (this.#unkeptChars > LIMITS.echoBytesPerRun) this.#decide(failure('echo_limit', FLOODED));
  }

  #print(type: 'log' | 'error', text: string, cut: boolean): void {
    if (this.#closed) return;
    this.#printed = `${this.#printed}\n${text}`.slice(-4_000);
    const msg = cut ? `${text}… [cut: a printed line may have ${PRINTED_LINE_BYTES} bytes]` : text;
    this.#echo([type, msg, new Date().toISOString()]);
  }

  async #relay(call: unknown, op: unknown): Promise<void> {
    const answer = await this.#storage.call(op);
    if (answer && typeof call === 'number') this.#command({ t: 'storage', call, answer });
  }

  #settled(output: string): void {
    const outcome = this.#settledAs(output);
    if (outcome.action !== 'error') this.#settledOutcome ??= outcome;
    this.#decide(outcome);
  }

  #settledAs(sent: string): Outcome {
    const maxBytes = this.#offer.limits.output_bytes;
    // What is too large is not searched for the secret. Then once more: a number that is taken out leaves a longer text.
    const whole = checkedOutput(sent, maxBytes);
    const checked = 'refused' in whole ? whole : checkedOutput(this.#redaction.json(whole.output), maxBytes);
    if ('refused' in checked) return failure(checked.refused, checked.text);
    return { action: this.#stopping ? 'stop' : 'end', output: checked.output, error_code: null, error_stack: null };
  }

  #failed(code: RunnerErrorCode, stack: unknown): void {
    const said = this.#said(stack, 2 * LIMITS.errorStackChars);
    this.#decide(this.#limitIn(said) ?? failure(code, said));
  }

  /** What was thrown because a limit was reached, as the system said it or as its counters show by now. */
  #limitIn(stack: string): Outcome | null {
    const run = this.#taken?.process;
    const refused = run?.refusals[SYSTEM_ERROR.exec(stack)?.[1] ?? ''];
    const reached = run && (refused ? limitReached(refused, run.limits) : run.look());
    return reached ? failure(reached.code, `${reached.text}\n${stack}`) : null;
  }

  #stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    if (!this.#begun) {
      this.#decide(STOPPED);
      return;
    }
    setTimeout(() => this.#decide(STOPPED), STOP_GRACE_MS);
    // What stands still could not hear of it.
    void this.#pause.set(false).then(() => this.#command({ t: 'stop' }));
  }

  #timeIsUp(): void {
    const text = `The run took longer than its time limit of ${this.#offer.limits.time_ms} ms (timeout_ms of the start, else worker_response_timeout of the skript).`;
    this.#place = place => this.#decide(failure('time_limit', text + place));
    this.#command({ t: 'place' });
    setTimeout(
      () => this.#place?.(' It did not answer when asked where it was: it was calculating, or in a loop.'),
      this.#offer.environment === 'browser' ? PAGE_GRACE_MS : PLACE_GRACE_MS,
    );
  }

  #command(command: CommandToRun): void {
    const commands = this.#taken?.process.commands;
    if (commands?.writable) commands.write(`${JSON.stringify(command)}\n`);
  }

  /** Messages of the system name whole paths; where the worker keeps its files is no matter of the user's. */
  #withoutPaths(text: string): string {
    const ofRun = this.#taken ? text.replaceAll(this.#taken.process.folder + sep, '') : text;
    return ofRun.replaceAll(dirname(dirname(this.#spool.folder)) + sep, '');
  }

  #presentable(outcome: Outcome): Outcome {
    const { error_stack } = outcome;
    if (error_stack === null) return outcome;
    return { ...outcome, error_stack: fitStack(this.#redaction.text(this.#withoutPaths(error_stack))) };
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
