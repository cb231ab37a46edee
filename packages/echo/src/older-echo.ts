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
  log(...values: unknown[]): Promise<void> {
    const text = joined(values);
    echo.log(text);
    return this.#emit('log', text);
  }

  /** Like `log`, shown as a warning. */
  warn(...values: unknown[]): Promise<void> {
    const text = joined(values);
    echo.warn(text);
    return this.#emit('warn', text);
  }

  /** Sends an error or a text, shown as an error. */
  error(error: unknown): Promise<void> {
    echo.error(error);
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return this.#emit('error', { message, stack });
  }

  /** Sends any value, shown as a tree. */
  objekt(value: unknown): Promise<void> {
    echo.objekt(value);
    return this.#emit('objekt', value);
  }

  /** Sends a raster image. Anything else becomes a warning, because older skripts expect no error from an echo. */
  image(image: Uint8Array | string): Promise<void> {
    try {
      echo.image(image);
    } catch (error) {
      echo.warn((error as Error).message);
    }
    return this.#emit('image', image);
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
    if (!askOfRun()) echo.log(text);
    void this.#emit('question', text);
    return answer;
  }

  #emit(method: OlderEchoMethod, msg: unknown): Promise<void> {
    const message = { who: this.who, msg, method, time: new Date().toISOString() };
    this.allEchoes.push(message);
    if (this.allEchoes.length > MAX_KEPT) this.allEchoes.shift();
    this.eventEmitter.emit(this.event, message);
    return new Promise(resolve => setTimeout(resolve, this.delay));
  }
}

/** The same class as older skripts require it as `echoer`, with another event. */
export class Echoer extends OlderEcho {
  protected override get event(): string {
    return 'echoer';
  }
}

const joined = (values: unknown[]): string =>
  values
    .map(value => (typeof value === 'object' || typeof value === 'boolean' ? objectText(value) : String(value)))
    .join(' ');
