import { once } from 'node:events';
import { isIP, isIPv6, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SocksClient } from 'socks';
import type { ConnectSocket } from '../network/connect-by.js';

/** A proxy that did not open a connection. */
export class ProxyFailure extends Error {
  /**
   * @param mayBeTarget whether the target may be the reason: the proxy itself was reached, and understood
   * @param cause error of the connection to the proxy
   */
  constructor(
    reason: string,
    readonly mayBeTarget: boolean,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

export interface Target {
  host: string;
  port: number;
}

/** The largest answer to CONNECT, with its headers. */
const MAX_ANSWER_BYTES = 16 * 1024;
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };
/** Answers of a SOCKS proxy by which it says that the target is the reason. */
const SOCKS_TARGET_FAILURES = /(?:General|NetworkUnreachable|HostUnreachable|ConnectionRefused|TTLExpired|Failure)/;

export interface OpenOptions {
  /** What `Socket.connect` of Node, or of the run's network, does. */
  connectDirectly: ConnectSocket;
  signal: AbortSignal;
  /** Called with the socket of the connection to the proxy, before anything is sent. */
  connected: (socket: Socket) => void;
  /** Returns whether the protocol to the target begins with data of the client, as HTTP and TLS do. */
  clientSpeaksFirst: () => boolean;
}

/** Returns host and port of a proxy. */
export function addressOf(url: string): Target {
  const { protocol, hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (PORTS[protocol] as number) };
}

/**
 * Opens a connection to a target through a proxy, which resolves the name of the target.
 *
 * @param url of the proxy, with name and password
 * @throws ProxyFailure
 */
export async function openThroughProxy(
  url: string,
  target: Target,
  { connectDirectly, signal, connected, clientSpeaksFirst }: OpenOptions,
): Promise<Socket> {
  const { protocol, username, password } = new URL(url);
  const proxy = addressOf(url);
  const user = { name: decodeURIComponent(username), password: decodeURIComponent(password) };
  const socket = new Socket();
  socket.on('error', () => {});
  const abort = () => socket.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  let isReached = false;
  try {
    signal.throwIfAborted();
    connectDirectly.call(socket, proxy);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    connected(socket);
    isReached = protocol !== 'https:';
    const way = isReached ? socket : await encrypted(socket, proxy.host);
    isReached = true;
    if (protocol === 'socks5:') await askSocks(way, target, user);
    else await askHttp(way, target, user);
    // HTTP and TLS servers wait for their client. `fetch` would close such a connection and reconnect without limit.
    if (way.readableLength > 0 && clientSpeaksFirst()) throw new ProxyFailure('it sent data before the request', false);
    return way;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new ProxyFailure('it did not answer in time', isReached);
    if (error instanceof ProxyFailure) throw error;
    throw new ProxyFailure(reasonOf(error), false, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function encrypted(socket: Socket, host: string): Promise<Socket> {
  const secure = connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
  secure.on('error', () => {});
  await once(secure, 'secureConnect');
  return secure;
}

async function askHttp(
  socket: Socket,
  { host, port }: Target,
  user: { name: string; password: string },
): Promise<void> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const hasUser = user.name !== '' || user.password !== '';
  const credentials = Buffer.from(`${user.name}:${user.password}`).toString('base64');
  const authorization = hasUser ? `Proxy-Authorization: Basic ${credentials}\r\n` : '';
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const head = await readHead(socket);
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(head) ?? [];
  if (status === undefined) throw new ProxyFailure('its answer is not HTTP', false);
  if (status === '407') throw new ProxyFailure('it refused the name and password (407)', false);
  if (!status.startsWith('2')) throw new ProxyFailure(`it answered ${status} to CONNECT`, true);
}

/** Reads the answer to CONNECT, and leaves in the socket what is after it. */
async function readHead(socket: Socket): Promise<string> {
  let read = Buffer.alloc(0);
  for (;;) {
    const bytes: Buffer | null = socket.read();
    if (bytes) {
      read = Buffer.concat([read, bytes]);
      const end = read.indexOf('\r\n\r\n');
      if (end >= 0 && end <= MAX_ANSWER_BYTES) {
        if (read.length > end + 4) socket.unshift(read.subarray(end + 4));
        return read.toString('latin1', 0, end + 2);
      }
      if (read.length > MAX_ANSWER_BYTES) throw new ProxyFailure('its answer to CONNECT is larger than 16 KiB', false);
      // The rest of garbage would be waited for in vain.
      if (!'HTTP/1.'.startsWith(read.toString('latin1', 0, Math.min(7, read.length)))) return '';
    } else if (socket.readableEnded || socket.destroyed) {
      throw new ProxyFailure('it closed the connection', false);
    } else await changeOf(socket);
  }
}

/** Waits until a socket has data, has ended or is closed. */
async function changeOf(socket: Socket): Promise<void> {
  const waiting = new AbortController();
  const events = ['readable', 'end', 'close'].map(event => once(socket, event, { signal: waiting.signal }));
  try {
    await Promise.race(events);
  } finally {
    // Removes the listeners of the other events.
    waiting.abort();
  }
}

async function askSocks(socket: Socket, target: Target, user: { name: string; password: string }): Promise<void> {
  const early: Buffer[] = [];
  const collect = (bytes: Buffer) => early.push(bytes);
  const hasUser = user.name !== '' || user.password !== '';
  try {
    await SocksClient.createConnection({
      // The library does not connect, because the socket is connected.
      proxy: {
        host: '127.0.0.1',
        port: 1,
        type: 5,
        ...(hasUser && { userId: user.name, password: user.password }),
      },
      command: 'connect',
      destination: target,
      existing_socket: socket,
    });
  } catch (error) {
    const reason = (error as Error).message;
    throw new ProxyFailure(`SOCKS: ${reason}`, SOCKS_TARGET_FAILURES.test(reason));
  }
  // In the next turn, the library lets the data flow that has come with the answer.
  socket.on('data', collect);
  await new Promise(resolve => setImmediate(resolve));
  socket.pause();
  socket.off('data', collect);
  if (socket.readableEnded || socket.destroyed) throw new ProxyFailure('it closed the connection', true);
  if (early.length > 0) socket.unshift(Buffer.concat(early));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || !code ? message : `${code}`;
}
