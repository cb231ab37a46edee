import { EventEmitter } from 'node:events';
import { echo } from './echo.js';
import { objectText } from './object-text.js';
import { askOfRun, noAnswer } from './question.js';

export type OlderEchoMethod = 'log' | 'warn' | 'error' | 'objekt' | 'image' | 'question';

/** An echo as the skript's own emitter receives it. */
export interface OlderEchoMessage {
  who: string;
  /** Text for `log`, `warn` and `question`, `{ message, stack }` for `error`, otherwise the value itself. */
  msg: unknown;
  method: OlderEchoMethod;
  /** ISO time. */
  time: string;
}

/** Older echoes that `allEchoes` keeps. Images may be large, and a run may take hours. */
const MAX_KEPT = 100;

/**
 * The Echo that older skripts require as `@mikosoft/echo`. Each call sends one echo by `@trawl/echo`, and emits it on
 * the skript's own emitter. The promise of a call resolves after `delay` ms; a skript may ignore it.
 */
export class OlderEcho {
  /** The latest 100 echoes of this object. */
  readonly allEchoes: OlderEchoMessage[] = [];
  /** Argument of `error`: it may have a cause, or be a text without a stack. */
  readonly #errors = new WeakMap<Thrown, unknown>();

  /**
   * @param short accepted for older skripts, without effect
   * @param answerTimeout milliseconds that `question` waits for an answer
   * @param who name of the sender, which answers have to repeat
   */
  constructor(
    public short = true,
    public delay = 100,
    public eventEmitter = new EventEmitter(),
    public answerTimeout = 30_000,
    public who = '',
  ) {}

  /** Name of the event that each echo is emitted as. */
  protected get event(): string {
    return 'echo-event';
  }

  /** Sends values as text, joined by spaces. Objects and booleans become JSON. */
  async log(...values: unknown[]): Promise<void> {
    await this._process('log', this.#joined(values));
  }

  /** Like `log`, shown as a warning. */
  async warn(...values: unknown[]): Promise<void> {
    await this._process('warn', this.#joined(values));
  }

  /** Sends an error or a text, shown as an error. */
  async error(error: unknown): Promise<void> {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const msg = { message, stack };
    this.#errors.set(msg, error);
    await this._process('error', msg);
  }

  /** Sends any value, shown as a tree. */
  async objekt(value: unknown): Promise<void> {
    await this._process('objekt', value);
  }

  /** Sends a raster image. Anything else becomes a warning, because older skripts expect no error from an echo. */
  async image(image: Uint8Array | string): Promise<void> {
    await this._process('image', image);
  }

  /**
   * Sends a question. Resolves to the first answer: from the panel or the API, or from the skript itself, which emits
   * `echo-answer` with `who`, the question and the answer.
   *
   * @throws Error if no answer comes within `answerTimeout`
   */
  question(text: string): Promise<unknown> {
    const { eventEmitter, answerTimeout } = this;
    const answer = new Promise((resolve, reject) => {
      const take = (who: unknown, question: unknown, given: unknown) => {
        if (who !== this.who || question !== text) return;
        end(true);
        resolve(given);
      };
      const timer = setTimeout(() => {
        end(false);
        reject(noAnswer(text, answerTimeout));
      }, answerTimeout);
      const end = (isAnswered: boolean) => {
        clearTimeout(timer);
        eventEmitter.off('echo-answer', take);
        endOfRun?.(isAnswered);
      };
      const endOfRun = askOfRun()?.({ text: String(text), choices: [] }, given => {
        end(true);
        resolve(given);
      });
      eventEmitter.on('echo-answer', take);
    });
    void this._process('question', text);
    return answer;
  }

  /** Sends one echo, as all methods above do. Resolves to the echo after `delay` ms. Some skripts call or replace it. */
  async _process(method: OlderEchoMethod, msg: unknown): Promise<OlderEchoMessage> {
    const message = { who: this.who, msg, method, time: new Date().toISOString() };
    this.allEchoes.push(message);
    if (this.allEchoes.length > MAX_KEPT) this.allEchoes.shift();
    this._log_console(message);
    this._log_event(message);
    await new Promise(resolve => setTimeout(resolve, this.delay));
    return message;
  }

  /** Sends an echo by `@trawl/echo`. */
  _log_console({ method, msg }: OlderEchoMessage): void {
    if (method === 'question') {
      // The run shows its questions itself.
      if (!askOfRun()) echo.log(msg);
    } else if (method === 'image') sendImage(msg);
    else if (method === 'error') echo.error(this.#errors.get(msg as Thrown) ?? errorOf(msg as Thrown));
    else echo[method](msg);
  }

  /** Emits an echo on the skript's own emitter. */
  _log_event(message: OlderEchoMessage): void {
    this.eventEmitter.emit(this.event, message);
  }

  /** Converts a value to the text that `log` sends for it. */
  _toString(value: unknown): string | undefined {
    return typeof value === 'object' || typeof value === 'boolean' ? objectText(value) : String(value);
  }

  #joined(values: unknown[]): string {
    return values.map(value => this._toString(value)).join(' ');
  }
}

/** The same class as older skripts require it as `echoer`, with another event. */
export class Echoer extends OlderEcho {
  protected override get event(): string {
    return 'echoer';
  }

  /** Converts `undefined` to no text. */
  override _toString(value: unknown): string | undefined {
    return value === undefined ? undefined : super._toString(value);
  }
}

type Thrown = Pick<Error, 'message' | 'stack'>;

const errorOf = ({ message, stack }: Thrown): Error => Object.assign(new Error(message), { stack });

function sendImage(image: unknown): void {
  try {
    echo.image(image as string);
  } catch (error) {
    echo.warn((error as Error).message);
  }
}
