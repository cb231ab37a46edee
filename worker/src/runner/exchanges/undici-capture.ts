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
 * Only new versions report the pieces of bodies, so the methods that receive them are wrapped, once for each version.
 */
export function captureUndici(begin: BeginExchange): void {
  const open = new WeakMap<UndiciRequest, CapturedExchange>();
  const wrapped = new WeakSet<object>();
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
    const prototype = Object.getPrototypeOf(request) as UndiciRequest;
    if (!wrapped.has(prototype)) {
      wrapped.add(prototype);
      wrap(prototype, 'onBodySent', (sender, chunk) => open.get(sender)?.sentData(chunk));
      const receives = prototype.onData ? 'onData' : 'onResponseData';
      wrap(prototype, receives, (receiver, chunk) => open.get(receiver)?.data(chunk));
    }
    sent(exchange, request);
  });
  on<{ request: UndiciRequest; response: UndiciResponse }>('headers', (exchange, { request, response }) => {
    // Other listeners may have added headers to it since its creation.
    sent(exchange, request);
    const { statusCode, statusText = '', headers } = response;
    exchange.answered(statusCode, statusText, limits => headerPairs(headers, limits));
  });
  on('trailers', exchange => exchange.end());
  on<{ error: unknown }>('error', (exchange, { error }) => exchange.end(errorText(error)));
}

/** Keeps the headers alone: the request refers to its answer with all buffers, which would stay in memory with it. */
function sent(exchange: CapturedExchange, { headers }: UndiciRequest): void {
  exchange.sent(limits =>
    typeof headers === 'string' ? headersOfLines(headers, limits) : headerPairs(headers, limits),
  );
}

function wrap(
  prototype: UndiciRequest,
  name: 'onBodySent' | 'onData' | 'onResponseData',
  look: (request: UndiciRequest, chunk: Uint8Array) => void,
): void {
  const method = prototype[name];
  if (typeof method !== 'function') return;
  prototype[name] = function (this: UndiciRequest, chunk) {
    if (chunk instanceof Uint8Array) look(this, chunk);
    return method.call(this, chunk);
  };
}
