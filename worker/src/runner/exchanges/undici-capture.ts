import { subscribe } from 'node:diagnostics_channel';
import type { BeginExchange, CapturedExchange } from './captured-exchange.js';
import { errorText, headerPairs, headersOfLines } from './header-pairs.js';

type OnChunk = (chunk: Uint8Array) => unknown;

/** The request inside undici, which `fetch` uses too. Versions 4 to 7 have `onData`, and 8 has `onResponseData`. */
interface UndiciRequest {
  origin?: unknown;
  path: string;
  method: string;
  /** A text up to version 5. */
  headers: string | unknown[];
  onBodySent?: OnChunk;
  onData?: OnChunk;
  onResponseData?: OnChunk;
}
interface UndiciResponse {
  statusCode: number;
  statusText?: string;
  headers: unknown[];
}

/**
 * Captures the exchanges of `fetch` and of every undici from npm. They report requests to the same channels of Node.
 * Only new versions report the pieces of bodies, so the methods that receive them are wrapped, for each request.
 */
export function captureUndici(begin: BeginExchange): void {
  const open = new WeakMap<UndiciRequest, CapturedExchange>();
  const on = <Message>(event: string, listener: (exchange: CapturedExchange, message: Message) => void) =>
    subscribe(`undici:request:${event}`, message => {
      const exchange = open.get((message as { request: UndiciRequest }).request);
      if (exchange) listener(exchange, message as Message);
    });

  subscribe('undici:request:create', message => {
    const { request } = message as { request: UndiciRequest };
    const url = request.path.startsWith('/') ? `${request.origin ?? ''}${request.path}` : request.path;
    const exchange = begin({ via: 'undici', method: request.method, url });
    if (!exchange) return;
    open.set(request, exchange);
    exchange.sent(limits => {
      const { headers } = request;
      return typeof headers === 'string' ? headersOfLines(headers, limits) : headerPairs(headers, limits);
    });
    wrap(request, 'onBodySent', chunk => exchange.sentData(chunk));
    wrap(request, request.onData ? 'onData' : 'onResponseData', chunk => exchange.data(chunk));
  });
  on<{ response: UndiciResponse }>('headers', (exchange, { response }) => {
    const { statusCode, statusText = '', headers } = response;
    exchange.answered(statusCode, statusText, limits => headerPairs(headers, limits));
  });
  on('trailers', exchange => exchange.end());
  on<{ error: unknown }>('error', (exchange, { error }) => exchange.end(errorText(error)));
}

function wrap(request: UndiciRequest, name: 'onBodySent' | 'onData' | 'onResponseData', look: OnChunk): void {
  const method = request[name];
  if (typeof method !== 'function') return;
  request[name] = function (this: UndiciRequest, chunk) {
    if (chunk instanceof Uint8Array) look(chunk);
    return method.call(this, chunk);
  };
}
