import { format } from 'node:util';
import { imageAddress } from './image-address.js';
import { isoNow } from './iso-now.js';
import { objectText } from './object-text.js';
import { progressText } from './progress-text.js';
import { ask, type QuestionOptions } from './question.js';
import { tableText } from './table-text.js';

/** The types that a skript sends. Questions take another way, because they get an answer. */
export type EchoMessageType = 'log' | 'warn' | 'error' | 'objekt' | 'image' | 'progress' | 'table';

/** A message as the run receives it. */
export interface EchoMessage {
  type: EchoMessageType;
  /** The text of the echo. For an `objekt` it is JSON text, for an `image` a `data:` URL. */
  msg: string;
  /** ISO time. */
  time: string;
}

interface Run {
  eventEmitter?: { emit(event: 'echo', message: EchoMessage): boolean };
}

/** Sends messages from a skript to its run. The panel shows them live, and Trawl keeps them with the run. */
export class Echo {
  /** Sends text. Formats the values as `console.log` does. */
  log(...values: unknown[]): void {
    send('log', format(...values));
  }

  /** Like `log`, but the panel shows the text as a warning. */
  warn(...values: unknown[]): void {
    send('warn', format(...values));
  }

  /** Like `log`, but the panel shows the text as an error. The text of an Error includes its stack. */
  error(...values: unknown[]): void {
    send('error', format(...values));
  }

  /** Sends any value, shown as an expandable tree. Never throws: values that JSON cannot represent become text. */
  objekt(value: unknown): void {
    send('objekt', objectText(value));
  }

  /**
   * Sends a raster image: PNG, JPEG, GIF or WebP, as Buffer, Uint8Array, base64 text or `data:` URL.
   *
   * @throws TypeError for anything else
   */
  image(image: Uint8Array | string): void {
    send('image', imageAddress(image));
  }

  /**
   * Sends how far a piece of work is, as text such as `Pages: 3 of 10`. The panel draws it as a bar.
   *
   * @param total leave it out if you do not know it
   */
  progress(done: number, total?: number, label?: string): void {
    send('progress', progressText(done, total, label));
  }

  /**
   * Sends rows as a table in plain text, with the keys of the objects as columns. The panel draws it as a table. Sends
   * the first 100 rows. Never throws.
   */
  table(rows: readonly unknown[]): void {
    send('table', tableText(rows));
  }

  /**
   * Asks a question and resolves to its answer. Whoever may stop the run can answer, in the panel or with the API.
   *
   * @throws TypeError or RangeError for invalid arguments; Error outside a run, or without an answer in time
   */
  async question(text: string, options: QuestionOptions = {}): Promise<string> {
    if (options.image !== undefined) this.image(options.image);
    return ask(text, options);
  }
}

/** An Echo that is ready to use. */
export const echo = new Echo();

function send(type: EchoMessageType, msg: string): void {
  const run = (globalThis as { trawl?: Run }).trawl;
  if (run?.eventEmitter) {
    run.eventEmitter.emit('echo', { type, msg, time: isoNow() });
    return;
  }
  if (type === 'error') console.error(msg);
  else if (type === 'warn') console.warn(msg);
  else console.log(type === 'image' ? `[image, ${msg.length} characters]` : msg);
}
