import type { Readable, Writable } from 'node:stream';
import { EXCHANGE_LIMITS } from '@trawl/contracts';
import type { ConnectionTransport } from 'puppeteer-core';
import { type PageExchanges, WATCHED_EVENTS } from './page-exchanges.js';
import { type RequestHandler, RequestInterception } from './request-interception.js';

/**
 * First id of the runner's own commands. Puppeteer's ids never get this high, and Chromium's 32-bit integers can still
 * represent it.
 */
const FIRST_OWN_ID = 1_500_000_000;
/**
 * Matches the commands that are sent when a skript uses a page. Puppeteer itself sends only other commands to a new
 * page.
 */
const USE_COMMANDS =
  /^\{"method":"(?:Page\.(?:navigate|reload|captureScreenshot|printToPDF)|Runtime\.(?:evaluate|callFunctionOn)|Input\.)/;
const CLOSE_COMMANDS = /^\{"method":"(?:Browser\.close|Page\.close|Target\.(?:closeTarget|disposeBrowserContext))"/;
/** Maximum length of a title or a URL, which a page can make arbitrarily long. */
export const MAX_TEXT_CHARS = EXCHANGE_LIMITS.pageTextChars;
const SESSION = /"sessionId":"(\w+)"\}$/;
/** Matches the events that tell that a page was created, changed or closed. */
const PAGE_EVENTS = /^\{"method":"Target\.(?:attachedToTarget|targetInfoChanged|targetDestroyed)"/;

/** A page of the browser, as Chromium describes it. */
export interface BrowserPage {
  /** Chromium's id for the page, which is also the id of the page's main frame. */
  target: string;
  session: string;
  title: string;
  url: string;
}

/**
 * Carries Puppeteer's messages over Chromium's DevTools pipe. Each message is a JSON text that is followed by a NUL
 * byte. The class also knows which page the skript used last, and sends the runner's own commands to Chromium. These do
 * not go through Puppeteer, so they work even if the skript has changed Puppeteer.
 * See docs/decisions/0402-chromium-of-runs.md.
 */
export class BrowserPipe implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  /**
   * Called before a command is sent that may close the page that the skript used last. The command waits for the
   * promise.
   */
  beforeClosing: () => Promise<void> = async () => {};
  /** Sees the requests and consoles of pages. */
  watcher: PageExchanges | undefined;
  /** The page that the skript used last, even if it is closed now; undefined if it used none. */
  lastUsed: BrowserPage | undefined;
  #interception: RequestInterception | undefined;
  readonly #out: Writable;
  readonly #in: Readable;
  readonly #pages = new Map<string, BrowserPage>();
  readonly #pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #parts: Buffer[] = [];
  #lastId = FIRST_OWN_ID;
  #closed = false;

  constructor(out: Writable, input: Readable) {
    this.#out = out;
    this.#in = input;
    // Ignore errors of the pipes: Chromium may end at any time, and the `close` event of its output reports that.
    out.on('error', () => {});
    input.on('error', () => {});
    input.on('data', (bytes: Buffer) => this.#read(bytes));
    input.on('close', () => this.#end());
  }

  /** Lets the runner handle the requests of pages from now on. Call it before the skript's library connects. */
  intercept(handlers: RequestHandler[]): void {
    this.#interception = new RequestInterception(handlers, (...command) => this.command(...command));
  }

  send(message: string): void {
    const session = USE_COMMANDS.test(message) ? SESSION.exec(message.slice(-80))?.[1] : undefined;
    if (session !== undefined) this.lastUsed = this.#pageOf(session) ?? this.lastUsed;
    if (CLOSE_COMMANDS.test(message) && this.#mayCloseLastUsed(message)) {
      void this.beforeClosing().finally(() => this.#write(message));
    } else this.#write(message);
  }

  close(): void {
    this.#end();
    this.#in.destroy();
    this.#out.destroy();
  }

  /**
   * Sends a command to a session, or to the page that the skript used last.
   *
   * @param sessionId null for the session of the browser
   * @throws Error with Chromium's message, or when Chromium has ended
   */
  command<Result>(
    method: string,
    params: object = {},
    sessionId: string | null | undefined = this.lastUsed?.session,
  ): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('the browser has ended');
      this.#pending.set(id, { resolve, reject });
      this.#write(JSON.stringify({ method, params, id, sessionId: sessionId ?? undefined }));
    });
  }

  /** Whether a frame is the main one of a page. */
  isMainFrame(frameId: string): boolean {
    return this.#pages.has(frameId);
  }

  #pageOf(session: string): BrowserPage | undefined {
    return [...this.#pages.values()].find(page => page.session === session);
  }

  #mayCloseLastUsed(message: string): boolean {
    if (this.lastUsed === undefined || !this.#pages.has(this.lastUsed.target)) return false;
    return !message.includes('"targetId"') || message.includes(this.lastUsed.target);
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
      // Deliver each message in its own turn of the event loop. So code that waits for one message continues before the
      // next message is delivered.
      if (!this.#handle(message)) setImmediate(() => this.onmessage?.(message));
    }
    if (start < bytes.length) this.#parts.push(bytes.subarray(start));
  }

  /**
   * Handles a message from Chromium: keeps the list of pages up to date, and handles answers to the runner's own
   * commands. Returns true if the message is such an answer, which Puppeteer must not get.
   */
  #handle(message: string): boolean {
    if (PAGE_EVENTS.test(message)) this.#trackPage(message);
    if (this.watcher && WATCHED_EVENTS.test(message)) this.watcher.event(message);
    if (this.#interception?.event(message)) return true;
    const id = Number(/^\{"id":(\d+)/.exec(message)?.[1]);
    const pending = this.#pending.get(id);
    if (!pending) return id > FIRST_OWN_ID;
    this.#pending.delete(id);
    const { result, error } = JSON.parse(message);
    if (error) pending.reject(new Error(String(error.message)));
    else pending.resolve(result as never);
    return true;
  }

  #trackPage(message: string): void {
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
    else if (type === 'page' && sessionId) {
      this.#pages.set(target, { target, session: sessionId, title, url });
      this.#interception?.attached(sessionId);
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject } of this.#pending.values()) reject(new Error('the browser has ended'));
    this.#pending.clear();
    this.onclose?.();
  }
}
