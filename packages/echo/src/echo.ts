import { format } from 'node:util';
import { imageAddress } from './image-address.js';
import { objectText } from './object-text.js';

export type EchoMessageType = 'log' | 'warn' | 'error' | 'objekt' | 'image';

/** What is handed to the run: `msg` is text, JSON text of an `objekt`, a `data:` address of an `image`; `time` is ISO. */
export interface EchoMessage {
  type: EchoMessageType;
  msg: string;
  time: string;
}

interface Run {
  eventEmitter?: { emit(event: 'echo', message: EchoMessage): boolean };
}

/** Sends messages of a skript to those who watch its run; they are kept with the run as well. */
export class Echo {
  /** Text, with values formatted as `console.log` does. */
  log(...values: unknown[]): void {
    send('log', format(...values));
  }

  /** Like `log`, shown as a warning. */
  warn(...values: unknown[]): void {
    send('warn', format(...values));
  }

  /** Like `log`, shown as an error. An Error comes with its stack. */
  error(...values: unknown[]): void {
    send('error', format(...values));
  }

  /** Any value, shown as a tree that can be opened. Never throws: what JSON cannot write is put in words. */
  objekt(value: unknown): void {
    send('objekt', objectText(value));
  }

  /**
   * A raster image: PNG, JPEG, GIF or WebP, as Buffer, Uint8Array, base64 text or `data:` address.
   *
   * @throws TypeError when it is anything else.
   */
  image(image: Uint8Array | string): void {
    send('image', imageAddress(image));
  }
}

/** An Echo that is ready to use. */
export const echo = new Echo();

function send(type: EchoMessageType, msg: string): void {
  const run = (globalThis as { trawl?: Run }).trawl;
  if (run?.eventEmitter) {
    run.eventEmitter.emit('echo', { type, msg, time: new Date().toISOString() });
    return;
  }
  if (type === 'error') console.error(msg);
  else if (type === 'warn') console.warn(msg);
  else console.log(type === 'image' ? `[image, ${msg.length} characters]` : msg);
}
