import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS, pipeLine } from '@trawl/contracts';
import { limitReached } from '../executor/limits/limit-settings.js';
import type { BundleJson } from '../platform/bundles.js';
import type { TakenProcess } from '../pool/taken-process.js';
import { PRINTED_LINE_BYTES, type ProcessListener } from '../process/process-pipes.js';
import type { LimitReached, ProcessEnd } from '../process/run-process.js';
import { cutText } from '../protocol/cut-text.js';
import {
  type CommandToRun,
  isBatch,
  isRunnerError,
  messageOf,
  type RunnerErrorCode,
  type StartCommand,
  textOf,
} from '../protocol/pipe-messages.js';
import type { RunRecord } from '../records/run-record.js';
import type { Redaction } from '../redaction/redaction.js';
import type { RunExchanges } from './exchanges/run-exchanges.js';
import { failure, type Outcome } from './outcome.js';
import { checkedOutput } from './output-check.js';
import type { RunEchoes } from './run-echoes.js';
import { RunQuestions } from './run-questions.js';
import type { PostgresRelay } from './storage/postgres-relay.js';
import type { StorageRelay } from './storage/storage-relay.js';

/**
 * The worker drops lines that the real runner would never write, and reports each of them with an echo. After this many
 * such lines or characters, it drops them without an echo.
 */
const MAX_UNREADABLE = 100;
const MAX_UNREADABLE_CHARS = 1024 * 1024;
/**
 * Pause while a run is read whose lines are dropped anyway. It slows the run down, so that the run does not take
 * processor time from others.
 */
const DROPPING_PAUSE_MS = 20;
/**
 * Maximum size of the answers that the run has not read yet, in bytes. The real runner never requests so much at the
 * same time.
 */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const MAX_POSITION_CHARS = 2_000;
const MAX_LAST_PRINTED_CHARS = 4_000;
/**
 * The worker looks at the limits of a run every 200 ms, and when main.js returns. It skips that last look if the run was
 * shorter than this: it costs time, and in so short a run the kernel's own limits are enough.
 */
const LAST_LOOK_AFTER_MS = 200;
/** Matches an error of the operating system, as Node writes it. */
const SYSTEM_ERROR = /^(?:[A-Z][a-z ]+: )?Error: (E[A-Z]+): /;

/** Callbacks from the channel to its run. */
export interface ChannelEvents {
  /** Called when main.js has returned. The outcome is an error if the worker refuses the output. */
  returned(outcome: Outcome): void;
  failed(outcome: Outcome): void;
  /** Called when the process has ended. Its pipes may still contain lines. */
  ended(end: ProcessEnd): void;
}

export interface ChannelOptions {
  taken: TakenProcess;
  echoes: RunEchoes;
  storage: StorageRelay;
  postgres: PostgresRelay;
  redaction: Redaction;
  /** Null if the run has no record. */
  record: RunRecord | null;
  /** Null if the platform does not keep exchanges of this run. */
  exchanges: RunExchanges | null;
  maxOutputBytes: number;
  events: ChannelEvents;
}

/**
 * Sends commands to the process of one run, and receives what the process writes. Checks everything that it receives.
 */
export class RunChannel implements ProcessListener {
  readonly #options: ChannelOptions;
  readonly questions: RunQuestions;
  #isClosed = false;
  #hasEnded = false;
  #unreadable = 0;
  #unreadableChars = 0;
  #lastPrinted = '';
  #exiting = '';
  #startedAt = Number.NaN;
  #positioned: ((text: string) => void) | undefined;
  /** Number of requests by host, as the run has reported it. It may be any value. */
  requests: unknown;
  /** Whether the process can serve no other run. */
  isLast = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.questions = new RunQuestions(options.echoes, command => this.send(command));
  }

  /** @param bundle JSON texts, which are inserted as they are; `codeJson` is `null` if the process already has the code */
  start(command: Omit<StartCommand, 'code' | 'files'>, { codeJson, filesJson }: BundleJson): void {
    this.#startedAt = performance.now();
    this.#write(`${JSON.stringify(command).slice(0, -1)},"files":${filesJson},"code":${codeJson}}\n`);
  }

  send(command: CommandToRun, data?: Uint8Array): void {
    this.#write(pipeLine(command, data));
  }

  /** Sends a piece of the record that the run replays. Resolves when the process has room for the next. */
  async sendRecord(piece: Buffer): Promise<void> {
    this.send({ t: 'record' }, piece);
    const { commands } = this.#options.taken.process;
    if (!commands.writableNeedDrain || commands.destroyed) return;
    await new Promise<void>(resolve => {
      for (const event of ['drain', 'close']) commands.once(event, () => resolve());
    });
  }

  /** Asks the run which place in the skript it has reached. Resolves with null if the run does not answer in time. */
  position(withinMs: number): Promise<string | null> {
    return new Promise(resolve => {
      this.#positioned = resolve;
      this.send({ t: 'place' });
      setTimeout(resolve, withinMs, null);
    });
  }

  /** Ignores what the process writes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** The last lines that the process printed, and the place where the skript called process.exit. */
  get lastWords(): { printed: string; exiting: string } {
    return { printed: this.#lastPrinted, exiting: this.#exiting };
  }

  message(line: string, cut: boolean, data: Buffer | null): void {
    if (this.#isClosed) return;
    const parsed = cut ? null : messageOf(line);
    const message = parsed?.run === this.#options.taken.run ? parsed : null;
    if (message && 'requests' in message) this.requests = message.requests;
    if (message && 'is_last' in message) this.isLast = message.is_last === true;
    if (message?.t === 'echoes' && isBatch(message.items)) this.#options.echoes.addAll(message.items);
    else if (message?.t === 'storage' && data) void this.#relay(message.call, message.op, data);
    else if (message?.t === 'postgres') void this.#relayPostgres(message.call, message.op, Buffer.byteLength(line));
    else if (message?.t === 'record' && data && this.#options.record) this.#options.record.append(data);
    else if (message?.t === 'record_lacks' && this.#options.record) this.#options.record.lacks(textOf(message.text));
    else if (message?.t === 'session' && data) this.#options.echoes.redactSession(data.toString());
    else if (message?.t === 'question') this.questions.ask(message.call, message.text, message.choices);
    else if (message?.t === 'question_over') this.questions.end(message.call, message.is_answered);
    else if (message?.t === 'settled') this.#options.events.returned(this.#settled(textOf(message.output)));
    else if (message?.t === 'failed' && isRunnerError(message.code)) this.#failed(message.code, message.stack);
    else if (message?.t === 'exchange')
      this.#see(this.#options.exchanges?.add(message.head, data, line.length), line.length);
    else if (message?.t === 'page') this.#see(this.#options.exchanges?.setPage(message.page), line.length);
    else if (message?.t === 'exiting') this.#exiting = this.#redacted(message.stack, LIMITS.errorStackChars);
    else if (message?.t === 'place') this.#positioned?.(this.#redacted(message.text, MAX_POSITION_CHARS));
    else this.#drop(line.length);
  }

  printed(type: 'log' | 'error', text: string, cut: boolean): void {
    if (this.#isClosed) return;
    this.#lastPrinted = `${this.#lastPrinted}\n${text}`.slice(-MAX_LAST_PRINTED_CHARS);
    const msg = cut ? `${text}… [cut: a printed line may have ${PRINTED_LINE_BYTES} bytes]` : text;
    this.#options.echoes.addLine(type, msg);
  }

  pace(pipe: 'messages' | 'printed'): Promise<void> | undefined {
    const { echoes } = this.#options;
    const echoed = echoes.pace();
    if (echoed) return echoed;
    // Read the pipes of a process that has ended without a pause: they contain only a little, and the process's slot is
    // needed.
    if (this.#hasEnded) return undefined;
    const rested = echoes.rest();
    if (rested) return rested;
    if (echoes.full || this.#isNoisy) return delay(DROPPING_PAUSE_MS);
    return pipe === 'messages' ? (this.#options.record?.pace() ?? this.#storagePace()) : undefined;
  }

  limitReached({ code, text }: LimitReached): void {
    this.#options.events.failed(failure(code, text));
  }

  ended(end: ProcessEnd): void {
    this.#hasEnded = true;
    this.#options.storage.release();
    this.#options.events.ended(end);
  }

  #storagePace(): Promise<void> | undefined {
    const { storage, taken } = this.#options;
    if (storage.congested) return storage.freed();
    const { commands } = taken.process;
    if (commands.writableLength < MAX_UNREAD_BYTES) return undefined;
    return new Promise(resolve => {
      for (const event of ['drain', 'close']) commands.once(event, resolve);
    });
  }

  async #relay(call: unknown, op: unknown, args: Buffer): Promise<void> {
    const answer = await this.#options.storage.call(op, args);
    if (!answer || typeof call !== 'number') return;
    if ('error' in answer) this.send({ t: 'storage', call, error: answer.error });
    else this.send({ t: 'storage', call, error: null }, answer.result);
  }

  async #relayPostgres(call: unknown, op: unknown, bytes: number): Promise<void> {
    const answer = await this.#options.postgres.call(op, bytes);
    if (!answer || typeof call !== 'number') return;
    if (!('result' in answer)) return this.send({ t: 'postgres', call, answer });
    const { result, packed_rows } = answer;
    this.send({ t: 'postgres', call, answer: { result } }, packed_rows);
  }

  #settled(output: string): Outcome {
    const isShort = performance.now() - this.#startedAt < LAST_LOOK_AFTER_MS;
    const reached = isShort ? null : this.#options.taken.process.look();
    return reached ? failure(reached.code, reached.text) : this.#outcomeOf(output);
  }

  #outcomeOf(output: string): Outcome {
    const { redaction, maxOutputBytes } = this.#options;
    // Check the output before redaction, because redaction is slow for large texts. Check it again afterwards, because
    // the text gets longer when a number is redacted.
    const sent = checkedOutput(output, maxOutputBytes);
    const checked = 'refused' in sent ? sent : checkedOutput(redaction.json(sent.output), maxOutputBytes);
    if ('refused' in checked) return failure(checked.refused, checked.text);
    return { action: 'end', output: checked.output, error_code: null, error_stack: null };
  }

  #failed(code: RunnerErrorCode, sentStack: unknown): void {
    const stack = this.#redacted(sentStack, 2 * LIMITS.errorStackChars);
    this.#options.events.failed(this.#limitBehind(stack) ?? failure(code, stack));
  }

  /**
   * Returns the outcome for the limit that caused an error; null if none did. The error code of the system tells which
   * limit it was, or a check of the limits finds it now.
   */
  #limitBehind(stack: string): Outcome | null {
    const { process } = this.#options.taken;
    const refused = process.refusals[SYSTEM_ERROR.exec(stack)?.[1] ?? ''];
    const reached = refused ? limitReached(refused, process.limits) : process.look();
    return reached ? failure(reached.code, `${reached.text}\n${stack}`) : null;
  }

  /** Cuts a text and then redacts it. The order matters, because redaction handles a cut only at the end of a text. */
  #redacted(text: unknown, maxChars: number): string {
    return this.#options.redaction.text(cutText(textOf(text), maxChars));
  }

  #see(isValid: boolean | undefined, chars: number): void {
    if (!isValid) this.#drop(chars);
  }

  #drop(chars: number): void {
    if (!this.#isNoisy) {
      this.#options.echoes.addLine('warn', 'The run sent something that the worker cannot read; it was dropped.');
    }
    this.#unreadable += 1;
    this.#unreadableChars += chars;
  }

  get #isNoisy(): boolean {
    return this.#unreadable >= MAX_UNREADABLE || this.#unreadableChars >= MAX_UNREADABLE_CHARS;
  }

  #write(line: string | Buffer): void {
    const { commands } = this.#options.taken.process;
    if (commands.writable) commands.write(line);
  }
}
