import { type IncomingMessage, request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ADDRESS_HEADER, DNS_PATH, type ProxyFailure } from '../../protocol/proxy-protocol.js';

export interface Tunnel {
  socket: Socket;
  /** IP address to which the tunnel leads. */
  address: string;
}

/** The same error that Node would throw if a direct connection failed. */
export class ConnectError extends Error implements NodeJS.ErrnoException {
  readonly code: string;
  readonly syscall = 'connect';
  readonly address: string;
  readonly port: number;

  constructor({ code, message, address }: ProxyFailure, host: string, port: number) {
    super(message);
    this.name = 'Error';
    this.code = code;
    this.address = address ?? host;
    this.port = port;
  }
}

/**
 * Connects to a host and port through the worker's proxy.
 *
 * @param path of the proxy's socket
 * @throws ConnectError
 */
export function openTunnel(path: string, host: string, port: number): Promise<Tunnel> {
  const name = isIPv6(host) ? `[${host}]` : encodeURIComponent(host);
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, method: 'CONNECT', path: `${name}:${port}`, agent: false });
    call.once('error', error => reject(unreachable(error, host, port)));
    call.once('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      if (answer.statusCode === 200) resolve({ socket, address: String(answer.headers[ADDRESS_HEADER] ?? host) });
      else {
        text(socket).then(
          body => reject(new ConnectError(JSON.parse(body), host, port)),
          error => reject(unreachable(error, host, port)),
        );
      }
    });
    call.end();
  });
}

/**
 * Calls a method of `dns.promises` through the worker's proxy.
 *
 * @throws Error with the same `code` as the method's own error
 */
export async function queryDns(path: string, call: unknown[]): Promise<unknown> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const query = `${DNS_PATH}?call=${encodeURIComponent(JSON.stringify(call))}`;
    request({ socketPath: path, path: query, agent: false }, resolve).once('error', reject).end();
  });
  const body = JSON.parse(await text(answer));
  if (answer.statusCode === 200) return body;
  const { code, message } = body as ProxyFailure;
  throw Object.assign(new Error(message), { code, syscall: String(call[0]), hostname: call[1] });
}

const unreachable = (error: Error, host: string, port: number): ConnectError =>
  new ConnectError(
    { code: 'ENETUNREACH', message: `the worker's egress proxy does not answer: ${error.message}` },
    host,
    port,
  );
