import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { builtin } from '../node/builtin.js';
import type { BeginExchange, CapturedExchange } from './captured-exchange.js';
import { errorText, headerPairs } from './header-pairs.js';

type Write = (this: ClientRequest, chunk?: unknown, encoding?: unknown, callback?: unknown) => unknown;
type Push = (this: IncomingMessage, chunk: unknown, encoding?: BufferEncoding) => boolean;

/**
 * Captures the exchanges of Node's `http` and `https`, which axios, got and most other libraries use. Node reports
 * requests and answers to channels. It passes the pieces of bodies to `write`, `end` and `push`, which are wrapped.
 */
export function captureHttp(begin: BeginExchange): void {
  const open = new WeakMap<ClientRequest, CapturedExchange | null>();
  const exchangeOf = (request: ClientRequest & { socketPath?: string }): CapturedExchange | null => {
    const known = open.get(request);
    if (known !== undefined) return known;
    // The worker's proxy has a socket with a path.
    const exchange = request.socketPath === undefined ? begin(startOf(request)) : null;
    open.set(request, exchange);
    exchange?.sent(limits => headerPairs(Object.entries(request.getHeaders()).flat(), limits));
    return exchange;
  };

  let isWrapped = false;
  // Wait for the first request, because loading `node:http` takes time in each process.
  const wrapOnce = () => {
    if (!isWrapped) wrapWrites(exchangeOf);
    isWrapped = true;
  };
  // Node 20 lacks this channel. There, the body of the first request may be missing.
  subscribe('http.client.request.created', wrapOnce);
  subscribe('http.client.request.start', message => {
    wrapOnce();
    const { request } = message as { request: ClientRequest };
    const exchange = exchangeOf(request);
    if (exchange)
      request.once('close', () => exchange.end('The connection was closed before the answer was complete.'));
  });
  subscribe('http.client.request.error', message => {
    const { request, error } = message as { request: ClientRequest; error: unknown };
    open.get(request)?.end(errorText(error));
  });
  subscribe('http.client.response.finish', message => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const exchange = open.get(request);
    if (!exchange) return;
    exchange.answered(response.statusCode ?? 0, response.statusMessage ?? '', limits =>
      headerPairs(response.rawHeaders, limits),
    );
    const push = response.push as Push;
    response.push = function (this: IncomingMessage, chunk: unknown, encoding?: BufferEncoding) {
      if (chunk === null) exchange.end();
      else if (chunk instanceof Uint8Array) exchange.data(chunk);
      return push.call(this, chunk, encoding);
    } as typeof response.push;
  });
}

function startOf(request: ClientRequest) {
  const { protocol, method, path } = request;
  const host = String(request.getHeader('host') ?? request.host);
  // A request through a proxy of the skript has the whole address as its path.
  const url = /^https?:\/\//.test(path) ? path : `${protocol}//${host}${path}`;
  return { via: 'http', method, url } as const;
}

function wrapWrites(exchangeOf: (request: ClientRequest) => CapturedExchange | null): void {
  const prototype = builtin('node:http').ClientRequest.prototype as unknown as { write: Write; end: Write };
  for (const name of ['write', 'end'] as const) {
    const original = prototype[name];
    prototype[name] = function (...args) {
      const [chunk, encoding] = args;
      if (chunk instanceof Uint8Array) exchangeOf(this)?.sentData(chunk);
      else if (typeof chunk === 'string') exchangeOf(this)?.sentData(Buffer.from(chunk, encodingOf(encoding)));
      return original.apply(this, args);
    };
  }
}

const encodingOf = (encoding: unknown): BufferEncoding =>
  typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
