import { EXCHANGE_LIMITS, type HeaderPair, type PageSeen } from '@trawl/contracts';
import type { BeginExchange, CapturedExchange } from '../exchanges/captured-exchange.js';
import { headerPairs } from '../exchanges/header-pairs.js';

type Headers = Record<string, string>;

/** Events of Chromium's protocol that tell what pages request, and what they print. */
export const WATCHED_EVENTS =
  /^\{"method":"(?:Network\.(?:requestWillBeSent|responseReceived|loadingFinished|loadingFailed)|Runtime\.consoleAPICalled|Log\.entryAdded)"/;
/** Requests that bring data. A page may send hundreds of others, such as images and styles. */
const DATA_TYPES = new Set(['Document', 'XHR', 'Fetch']);
/** A page that leaves its requests open needs no more memory than this many. */
const MAX_OPEN = 200;
const CONSOLE_LINES = 50;

interface WatchedEvent {
  method: string;
  sessionId?: string;
  params: {
    requestId: string;
    frameId?: string;
    type: string;
    request: { url: string; method: string; headers: Headers; postData?: string };
    response?: Response;
    redirectResponse?: Response;
    errorText?: string;
    encodedDataLength?: number;
    args?: { value?: unknown; description?: string }[];
    entry?: { level: string; text: string; url?: string };
  };
}
interface Response {
  status: number;
  statusText: string;
  headers: Headers;
}

/** Counts the pages that a browser loads. */
export interface PageCounts {
  requested(url: string): void;
  /** Returns whether the answer blocks the page. */
  answered(url: string, status: number, header: (name: string) => string | undefined): boolean;
  shown(url: string, html: string): void;
}

/** A page that is loading. */
interface LoadingPage {
  url: string;
  session: string | undefined;
  isBlocked: boolean;
}

/**
 * Captures the exchanges of pages, as Chromium reports them to the skript's library, and the last lines of their
 * consoles. It asks Chromium only for bodies of data: documents, and what scripts fetch.
 */
export class PageExchanges {
  readonly #begin: BeginExchange;
  readonly #command: (method: string, params: object, session?: string) => Promise<unknown>;
  readonly #open = new Map<string, { exchange: CapturedExchange; session: string | undefined }>();
  readonly #loading = new Map<string, LoadingPage>();
  /** The host of the page that each session shows. */
  readonly #hosts = new Map<string | undefined, string>();
  #lines: { session: string | undefined; type: string; text: string }[] = [];

  constructor(
    begin: BeginExchange,
    command: (method: string, params: object, session?: string) => Promise<unknown>,
    private readonly counts?: PageCounts,
    private readonly isMainFrame: (frameId: string) => boolean = () => false,
  ) {
    this.#begin = begin;
    this.#command = command;
  }

  /** @param message an event that matches `WATCHED_EVENTS` */
  event(message: string): void {
    const { method, params, sessionId } = JSON.parse(message) as WatchedEvent;
    if (method === 'Runtime.consoleAPICalled') this.#print(sessionId, params.type, argumentsText(params.args ?? []));
    else if (method === 'Log.entryAdded') {
      const { level, text, url = '' } = params.entry ?? { level: 'info', text: '' };
      this.#print(sessionId, level, `${text} ${url}`.trim());
    } else if (method === 'Network.requestWillBeSent') {
      this.#countPage(params, sessionId);
      this.#request(params, sessionId);
    } else {
      const page = this.#countAnswer(method, params, sessionId);
      this.#answer(method, params, { session: sessionId, page });
    }
  }

  /** The last lines of the console of a session. */
  console(session: string | undefined): PageSeen['console'] {
    return this.#lines.filter(line => line.session === session).map(({ type, text }) => ({ type, text }));
  }

  #print(session: string | undefined, type: string, text: string): void {
    this.#lines.push({ session, type: type.slice(0, 40), text: text.slice(0, EXCHANGE_LIMITS.pageTextChars) });
    if (this.#lines.length > CONSOLE_LINES) this.#lines.shift();
  }

  /** Counts requests of pages, and of frames in them from the same host: not what they load. */
  #countPage({ requestId, request, redirectResponse, type, frameId = '' }: WatchedEvent['params'], session?: string) {
    const known = this.#loading.get(requestId);
    // Another session of the same page reports its requests once more.
    if (!this.counts || (known && known.session !== session)) return;
    if (known && redirectResponse) this.counts.answered(known.url, redirectResponse.status, headerOf(redirectResponse));
    this.#loading.delete(requestId);
    const { url } = request;
    if (type !== 'Document' || !/^https?:/.test(url) || !this.#isOfPage(url, frameId, session)) return;
    this.counts.requested(url);
    if (this.#loading.size < MAX_OPEN) this.#loading.set(requestId, { url, session, isBlocked: false });
  }

  /** Frames from other hosts, such as those of advertisements, tell nothing about the site. */
  #isOfPage(url: string, frameId: string, session: string | undefined): boolean {
    const { host } = new URL(url);
    if (!this.isMainFrame(frameId)) return this.#hosts.get(session) === host;
    this.#hosts.delete(session);
    this.#hosts.set(session, host);
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > MAX_OPEN) this.#hosts.delete(oldest);
    return true;
  }

  /** Returns the page of which this is an event. */
  #countAnswer(method: string, { requestId, response }: WatchedEvent['params'], session?: string) {
    const page = this.#loading.get(requestId);
    if (!this.counts || page?.session !== session) return undefined;
    if (method !== 'Network.responseReceived') this.#loading.delete(requestId);
    else if (page && response) page.isBlocked = this.counts.answered(page.url, response.status, headerOf(response));
    return page;
  }

  #request({ requestId, request, redirectResponse, type }: WatchedEvent['params'], session?: string): void {
    // Another session of the same page reports its requests once more.
    if (this.#open.has(requestId) && this.#open.get(requestId)?.session !== session) return;
    const redirected = this.#take(requestId);
    if (redirected && redirectResponse) answer(redirected, redirectResponse);
    redirected?.end();
    if (!DATA_TYPES.has(type) || !/^https?:/.test(request.url) || this.#open.size >= MAX_OPEN) return;
    const exchange = this.#begin({ via: 'browser', method: request.method, url: request.url });
    if (!exchange) return;
    exchange.sent(() => pairs(request.headers));
    if (request.postData) exchange.sentData(Buffer.from(request.postData));
    this.#open.set(requestId, { exchange, session });
  }

  #answer(
    method: string,
    { requestId, response, errorText, encodedDataLength = 0 }: WatchedEvent['params'],
    of: { session: string | undefined; page: LoadingPage | undefined },
  ): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    const { exchange } = open;
    if (method === 'Network.responseReceived') {
      if (response) answer(exchange, response);
      return;
    }
    this.#take(requestId);
    if (method === 'Network.loadingFailed') exchange.end(errorText ?? 'The request failed.');
    else void this.#finish(exchange, requestId, encodedDataLength, of);
  }

  async #finish(
    exchange: CapturedExchange,
    requestId: string,
    bytes: number,
    { session, page }: { session: string | undefined; page: LoadingPage | undefined },
  ): Promise<void> {
    // Chromium gives a body only as a whole.
    if (bytes > EXCHANGE_LIMITS.runBytes) {
      exchange.skipped(bytes);
      exchange.end();
      return;
    }
    try {
      const found = await this.#command('Network.getResponseBody', { requestId }, session);
      const { body, base64Encoded } = found as { body: string; base64Encoded: boolean };
      exchange.data(Buffer.from(body, base64Encoded ? 'base64' : 'utf8'));
      if (page && !page.isBlocked && !base64Encoded) this.counts?.shown(page.url, body);
      exchange.end();
    } catch {
      // The page has been left or closed meanwhile, or Chromium has dropped a body that was too large for its memory.
      exchange.skipped(bytes);
      exchange.end();
    }
  }

  #take(requestId: string): CapturedExchange | undefined {
    const open = this.#open.get(requestId);
    this.#open.delete(requestId);
    return open?.exchange;
  }
}

const pairs = (headers: Headers): HeaderPair[] => headerPairs(Object.entries(headers).flat());

const headerOf =
  ({ headers }: Response) =>
  (name: string): string | undefined =>
    Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];

const answer = (exchange: CapturedExchange, { status, statusText, headers }: Response): void =>
  exchange.answered(status, statusText, () => pairs(headers));

const argumentsText = (args: { value?: unknown; description?: string }[]): string =>
  args.map(({ value, description }) => (value === undefined ? (description ?? 'undefined') : textOf(value))).join(' ');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
