import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer-core';

/** Above any number that Puppeteer gets to, and within what Chromium takes. */
const FIRST_OWN_ID = 1_500_000_000;
/** Commands by which a skript uses a page; Puppeteer sends others by itself to each page that appears. */
const USES =
  /^\{"method":"(?:Page\.(?:navigate|reload|captureScreenshot|printToPDF)|Runtime\.(?:evaluate|callFunctionOn)|Input\.)/;
const CLOSES = /^\{"method":"(?:Browser\.close|Page\.close|Target\.(?:closeTarget|disposeBrowserContext))"/;
/** Of a title or an address, which a page makes as long as it likes. */
export const MAX_TEXT_CHARS = 2_000;
const SESSION = /"sessionId":"(\w+)"\}$/;
/** Events that say which pages there are. */
const PAGES = /^\{"method":"Target\.(?:attachedToTarget|targetInfoChanged|targetDestroyed)"/;

/** A page of the browser, as Chromium describes it. */
export interface BrowserPage {
  /** Also the name of its main frame. */
  target: string;
  session: string;
  title: string;
  url: string;
}

/**
 * Chromium's DevTools pipe as Puppeteer needs it: one JSON text after the other, each with a NUL behind it. On the way it
 * notes which page the skript used last, and asks Chromium itself, beside Puppeteer and whatever the skript made of that.
 */
export class BrowserPipe implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  /** Called, and waited for, before the skript closes what may hold the page that it used last. */
  beforeClosing: () => Promise<void> = async () => {};
  /** The page that the skript used last, also when it is closed; undefined when it used none. */
  used: BrowserPage | undefined;
  readonly #out: Writable;
  readonly #in: Readable;
  readonly #pages = new Map<string, BrowserPage>();
  readonly #asked = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #parts: Buffer[] = [];
  #lastId = FIRST_OWN_ID;
  #closed = false;

  constructor(out: Writable, input: Readable) {
    this.#out = out;
    this.#in = input;
    // Chromium may end at any time: that is told by the end of what comes from it.
    out.on('error', () => {});
    input.on('error', () => {});
    input.on('data', (bytes: Buffer) => this.#read(bytes));
    input.on('close', () => this.#ended());
  }

  send(message: string): void {
    const session = USES.test(message) ? SESSION.exec(message.slice(-80))?.[1] : undefined;
    if (session !== undefined) this.used = this.#pageOf(session) ?? this.used;
    if (CLOSES.test(message) && this.#mayClose(message)) void this.beforeClosing().finally(() => this.#write(message));
    else this.#write(message);
  }

  close(): void {
    this.#ended();
    this.#in.destroy();
    this.#out.destroy();
  }

  /**
   * Sends a command to the page that was used last.
   *
   * @throws Error with what Chromium says, or that it is gone.
   */
  ask<Result>(method: string, params: object = {}): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('the browser has ended');
      this.#asked.set(id, { resolve, reject });
      this.#write(JSON.stringify({ method, params, id, sessionId: this.used?.session }));
    });
  }

  #pageOf(session: string): BrowserPage | undefined {
    return [...this.#pages.values()].find(page => page.session === session);
  }

  #mayClose(message: string): boolean {
    if (this.used === undefined || !this.#pages.has(this.used.target)) return false;
    return !message.includes('"targetId"') || message.includes(this.used.target);
  }

  #write(message: string): void {
    if (!this.#closed) this.#out.write(`${message}\0`);
  }

  #read(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.#parts.push(bytes.subarray(start, end));
      const message = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      start = end + 1;
      // Each in a turn of its own: what waits for one is to go on before the next comes.
      if (!this.#isOwn(message)) setImmediate(() => this.onmessage?.(message));
    }
    if (start < bytes.length) this.#parts.push(bytes.subarray(start));
  }

  #isOwn(message: string): boolean {
    if (PAGES.test(message)) this.#note(message);
    const id = Number(/^\{"id":(\d+)/.exec(message)?.[1]);
    const asked = this.#asked.get(id);
    if (!asked) return id > FIRST_OWN_ID;
    this.#asked.delete(id);
    const { result, error } = JSON.parse(message);
    if (error) asked.reject(new Error(String(error.message)));
    else asked.resolve(result as never);
    return true;
  }

  #note(message: string): void {
    const { sessionId, targetId, targetInfo } = JSON.parse(message).params;
    if (!targetInfo) {
      this.#pages.delete(targetId);
      return;
    }
    const { targetId: target, type } = targetInfo;
    const title = String(targetInfo.title).slice(0, MAX_TEXT_CHARS);
    const url = String(targetInfo.url).slice(0, MAX_TEXT_CHARS);
    const known = this.#pages.get(target);
    if (known) Object.assign(known, { title, url });
    else if (type === 'page' && sessionId) this.#pages.set(target, { target, session: sessionId, title, url });
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject } of this.#asked.values()) reject(new Error('the browser has ended'));
    this.#asked.clear();
    this.onclose?.();
  }
}
