import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { EXCHANGE_LIMITS, LIMITS, type RequestedHost } from '@trawl/contracts';
import type { OpenExchange } from '../exchanges/open-exchange.js';
import { CHALLENGE_BYTES, type FindHeader, hasChallenge, isBlocking, isChallenge } from './challenges.js';

/** Hosts that are counted by name. The requests to all others are counted together. */
const OTHERS = '';

/**
 * Counts the HTTP requests of the current run by host, and the responses that block them: those of `fetch`, and of
 * libraries that use Node's `http` or undici. Of a browser, it counts the pages that it loads.
 */
export class RequestCounts {
  readonly #counts = new Map<string, RequestedHost>();

  /** Call it once, before a run. Node reports requests only to those who subscribe. */
  install(): void {
    subscribe('undici:request:create', message => {
      this.#add(hostOf((message as UndiciMessage).request));
    });
    subscribe('undici:request:headers', message => {
      const { request, response } = message as Required<UndiciMessage>;
      if (isBlocking(response.statusCode, name => valueIn(response.headers, name))) this.#addBlocked(hostOf(request));
    });
    subscribe('http.client.request.start', message => {
      const { request } = message as HttpMessage;
      if (!isOfProxy(request)) this.#add(hostOfClient(request));
    });
    subscribe('http.client.response.finish', message => {
      const { request, response } = message as Required<HttpMessage>;
      const header = (name: string) => response.headers[name]?.toString();
      if (!isOfProxy(request) && isBlocking(response.statusCode ?? 0, header)) this.#addBlocked(hostOfClient(request));
    });
  }

  /** A page of a browser is requested. */
  requested(url: string): void {
    this.#add(hostIn(url));
  }

  /** Counts the answer to the request of a page if it blocks. Returns whether it does. */
  answered(url: string, status: number, header: FindHeader): boolean {
    const isBlocked = isBlocking(status, header);
    if (isBlocked) this.#addBlocked(hostIn(url));
    return isBlocked;
  }

  /** Counts an answer with a page if its status and headers do not say that it blocks, but the page does. */
  shown(url: string, html: string): void {
    if (isChallenge(html)) this.#addBlocked(hostIn(url));
  }

  /** The same for an exchange of this process that is over. */
  ended({ via, url, status, body, responseHeaders }: OpenExchange): void {
    if (via === 'browser' || status === null || body.isCut || body.bytes > CHALLENGE_BYTES) return;
    const headers = new Map(responseHeaders(EXCHANGE_LIMITS).map(([name, value]) => [name.toLowerCase(), value]));
    const header: FindHeader = name => headers.get(name);
    if (!isBlocking(status, header) && hasChallenge(body.read(body.bytes), header)) this.#addBlocked(hostIn(url));
  }

  /** Returns the counts of the run that ends, and begins anew; undefined if there were no requests. */
  take(): RequestedHost[] | undefined {
    if (this.#counts.size === 0) return undefined;
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }

  #add(host: string): void {
    const isKnown = this.#counts.has(host) || this.#counts.size < LIMITS.requestedHosts;
    const key = isKnown ? host.slice(0, LIMITS.hostChars) : OTHERS;
    const known = this.#counts.get(key);
    if (known) known.count += 1;
    else this.#counts.set(key, { host: key, count: 1 });
  }

  #addBlocked(host: string): void {
    // A warm process may get a response to a request of the run before.
    const known = this.#counts.get(host.slice(0, LIMITS.hostChars)) ?? this.#counts.get(OTHERS);
    if (known) known.blocked = (known.blocked ?? 0) + 1;
  }
}

interface UndiciMessage {
  request: { origin?: unknown };
  response?: { statusCode: number; headers: Buffer[] };
}

interface HttpMessage {
  request: ClientRequest & { socketPath?: string };
  response?: IncomingMessage;
}

/** @param headers names and values by turns */
export function valueIn(headers: Buffer[], name: string): string | undefined {
  const isNamed = (header: Buffer, index: number) =>
    index % 2 === 0 && header.length === name.length && header.toString('latin1').toLowerCase() === name;
  const index = headers.findIndex(isNamed);
  return index < 0 ? undefined : String(headers[index + 1]);
}

const hostOf = ({ origin }: UndiciMessage['request']): string => String(origin).replace(/^\w+:\/\//, '');
const hostOfClient = (request: ClientRequest): string => String(request.getHeader('host') ?? request.host);
/** The worker's proxy has a socket with a path. */
const isOfProxy = ({ socketPath }: HttpMessage['request']): boolean => socketPath !== undefined;
function hostIn(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return OTHERS;
  }
}
