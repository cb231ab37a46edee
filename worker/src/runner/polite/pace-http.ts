import { subscribe } from 'node:diagnostics_channel';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { builtin } from '../node/builtin.js';
import type { DomainGate, Leave } from './domain-gate.js';

interface RequestOptions {
  host?: string;
  port?: number | string;
  socketPath?: string;
}
type AddRequest = (this: Agent, request: ClientRequest, options: RequestOptions, ...more: unknown[]) => void;
type OnSocket = (this: ClientRequest, socket: Socket | null, error?: Error | null) => void;

/**
 * Lets the requests of Node's `http` and `https` wait at the gate, and so those of axios, got and most other libraries. A
 * request waits before its agent gets it, so that it holds no connection meanwhile. Agents of other kinds connect first.
 */
export function paceHttp(gate: DomainGate): void {
  const { Agent, ClientRequest } = builtin('node:http');
  const agents = Agent.prototype as unknown as { addRequest: AddRequest };
  const requests = ClientRequest.prototype as unknown as { onSocket: OnSocket };
  const { addRequest } = agents;
  const { onSocket } = requests;
  /** Requests that have come to the gate, with their URL; null if they need not wait. */
  const known = new WeakMap<ClientRequest, URL | null>();
  const enter = (request: ClientRequest, options: RequestOptions): Promise<Leave | undefined> | null => {
    if (known.has(request)) return null;
    const url = gate.isOn ? urlOf(request, options) : null;
    known.set(request, url);
    return url === null ? null : gate.enter(url);
  };

  agents.addRequest = function (request, options, ...more) {
    const entering = enter(request, options);
    if (!entering) return void addRequest.call(this, request, options, ...more);
    const over = (error: Error | null) => onSocket.call(request, null, error);
    whenIn(entering, request, over, () => addRequest.call(this, request, options, ...more));
  };
  requests.onSocket = function (socket, error) {
    const entering = socket && !error ? enter(this, this as RequestOptions) : null;
    if (!entering || !socket) return void onSocket.call(this, socket, error);
    const ignore = () => {};
    socket.on('error', ignore);
    const go = (failed?: Error | null) => {
      socket.off('error', ignore);
      onSocket.call(this, socket, failed);
    };
    whenIn(entering, this, go, go);
  };
  subscribe('http.client.response.finish', message => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const url = known.get(request);
    if (url) gate.answered(url.host, response.statusCode ?? 0, response.headers['retry-after']);
  });
  withoutHttp2();
}

/** Calls `go` when the request may go, or `over` when it was destroyed or refused before. */
function whenIn(
  entering: Promise<Leave | undefined>,
  request: ClientRequest,
  over: (error: Error | null) => void,
  go: () => void,
): void {
  let isOver = false;
  const { destroy } = request;
  request.destroy = function (this: ClientRequest, error?: Error) {
    const destroyed = destroy.call(this, error);
    if (!isOver) over(error ?? null);
    isOver = true;
    return destroyed;
  };
  const once = (then: () => void, leave?: Leave) => {
    Reflect.deleteProperty(request, 'destroy');
    if (isOver) return leave?.();
    isOver = true;
    if (leave) request.once('close', leave);
    then();
  };
  entering.then(
    leave => once(go, leave),
    (error: Error) => once(() => over(error)),
  );
}

/** Returns the URL that a request goes to; null for a tunnel, and for a socket with a path, as the worker's proxy has. */
function urlOf(request: ClientRequest, { host, port, socketPath }: RequestOptions): URL | null {
  const { method, path, protocol } = request;
  if (method === 'CONNECT' || socketPath) return null;
  try {
    // A request through a proxy of the skript has the whole address as its path.
    if (/^https?:\/\//.test(path)) return new URL(path);
    const name = host ?? request.host;
    const origin = `${protocol}//${name.includes(':') ? `[${name}]` : name}${port ? `:${port}` : ''}`;
    return new URL(path.startsWith('/') ? `${origin}${path}` : origin);
  } catch {
    return null;
  }
}

/** Libraries that know both versions of HTTP use the first one, whose requests come to the gate. */
function withoutHttp2(): void {
  const connect = tls.connect as (...args: unknown[]) => unknown;
  tls.connect = ((...args: unknown[]) => {
    const options = args.find(argument => typeof argument === 'object' && argument !== null) as ConnectionOptions;
    const protocols = options?.ALPNProtocols;
    if (!Array.isArray(protocols) || !protocols.includes('http/1.1')) return connect(...args);
    const ALPNProtocols = protocols.filter(protocol => protocol !== 'h2');
    return connect(...args.map(argument => (argument === options ? { ...options, ALPNProtocols } : argument)));
  }) as typeof tls.connect;
  syncBuiltinESMExports();
}
