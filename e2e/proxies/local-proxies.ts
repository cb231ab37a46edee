import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';

/** A proxy of a test. It resolves all names to this computer, so that only who goes through it reaches them. */
export interface LocalProxy {
  readonly server: Server;
  readonly port: number;
  /** Targets of the connections that it was asked for. */
  readonly asked: string[];
}

export const USER = { name: 'anna', password: 'pa%ss:w0rd@7' };
const CREDENTIALS = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString('base64')}`;

const open: LocalProxy[] = [];

interface HttpProxyOptions {
  /** Whether it asks for the name and password of `USER`. */
  asks?: boolean;
  status?: number;
  /** Makes it one of `https:`, with this certificate. */
  tls?: { key: string; cert: string };
}

/** Starts an HTTP proxy. */
export async function httpProxy({ asks = false, status = 200, tls }: HttpProxyOptions = {}): Promise<LocalProxy> {
  const server = tls ? createSecureServer(tls) : createServer();
  const asked: string[] = [];
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    asked.push(request.url ?? '');
    if (asks && request.headers['proxy-authorization'] !== CREDENTIALS) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n');
    } else if (status === 200) {
      pass(client, Number(request.url?.split(':').at(-1)), () =>
        client.write('HTTP/1.1 200 Connected\r\nvia: test\r\n\r\n'),
      );
    } else client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  });
  return listening(server, asked);
}

/** Starts a SOCKS 5 proxy. */
export async function socksProxy({ asks = false, reply = 0 } = {}): Promise<LocalProxy> {
  const asked: string[] = [];
  const server = createTcpServer(async client => {
    client.on('error', () => {});
    const next = reader(client);
    await next((await next(2))[1] as number);
    client.write(Buffer.from([5, asks ? 2 : 0]));
    if (asks) {
      const name = (await next((await next(2))[1] as number)).toString();
      const password = (await next((await next(1))[0] as number)).toString();
      const isRight = name === USER.name && password === USER.password;
      client.write(Buffer.from([1, isRight ? 0 : 1]));
      if (!isRight) return void client.end();
    }
    const [, , , kind] = await next(4);
    const host = kind === 1 ? (await next(4)).join('.') : (await next((await next(1))[0] as number)).toString();
    const port = (await next(2)).readUInt16BE();
    asked.push(`${host}:${port}`);
    const answer = () => client.write(Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (reply === 0) pass(client, port, answer);
    else answer();
  });
  return listening(server, asked);
}

/** Starts a server that gets connections, and does what `act` says with them. */
export function badProxy(act: (client: Socket) => void, tls?: { key: string; cert: string }): Promise<LocalProxy> {
  const asked: string[] = [];
  const serve = (client: Socket) => {
    client.on('error', () => {});
    client.once('data', (data: Buffer) => {
      asked.push(data.toString('latin1'));
      act(client);
    });
  };
  return listening(tls ? createTlsServer(tls, serve) : createTcpServer(serve), asked);
}

/** Returns a port at which nobody listens. */
export async function deadPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Ends all proxies of the test file. */
export function closeProxies(): void {
  for (const { server } of open.splice(0)) server.close();
}

function pass(client: Duplex, port: number, opened: () => void): void {
  const target = connect(port, '127.0.0.1', () => {
    opened();
    client.pipe(target).pipe(client);
  });
  target.on('error', () => client.destroy());
  client.on('error', () => target.destroy());
  client.on('close', () => target.destroy());
}

async function listening(server: Server, asked: string[]): Promise<LocalProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { close } = server;
  server.close = done => {
    for (const socket of sockets) socket.destroy();
    return close.call(server, done);
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = { server, asked, port: (server.address() as AddressInfo).port };
  open.push(proxy);
  return proxy;
}

function reader(client: Socket): (count: number) => Promise<Buffer> {
  return async count => {
    for (;;) {
      const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : client.read(count);
      if (bytes) return bytes;
      await once(client, 'readable');
    }
  };
}
