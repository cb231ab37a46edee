import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, isIP, Socket, type TcpSocketConnectOpts } from 'node:net';
import { refuseDatagrams } from './proxied-datagrams.js';
import { installProxiedDns } from './proxied-dns.js';
import { ConnectError, openTunnel, type Tunnel } from './proxy-client.js';
import { join, socksRelay } from './socks-relay.js';

type Listener = () => void;
type ConnectOptions = TcpSocketConnectOpts & { path?: string };
type Connect = (this: Socket, ...args: unknown[]) => Socket;

const OWN_LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|::|0\.0\.0\.0)$/i;

const connectDirectly = Socket.prototype.connect as Connect;

/**
 * In a sandbox that has no network but its own loopback, makes `net`, `tls`, `http`, `fetch` and `dns` of this process
 * reach the rest through the worker's proxy; the variable TRAWL_PROXY names a SOCKS 5 relay for a browser and other child
 * processes. What keeps a run from an address is the sandbox and the proxy: whoever undoes this reaches nothing.
 *
 * @param path of the proxy's socket
 */
export function installProxiedNetwork(path: string): void {
  const connect: Connect = function (...args) {
    const [options, listener] = connectArguments(args);
    if (options.path || options.port === undefined) return connectDirectly.apply(this, args);
    if (listener) this.once('connect', listener);
    connectThrough(path, this, options);
    return this;
  };
  Socket.prototype.connect = connect as typeof Socket.prototype.connect;
  installProxiedDns(path);
  refuseDatagrams();
  syncBuiltinESMExports();
  const port = socksRelay((host, port) => reach(path, host, port));
  process.env.TRAWL_PROXY = `socks5h://127.0.0.1:${port}`;
}

/** As `net` reads them: `(options, listener)`, `(port, host, listener)`, `(path, listener)`, or both in one array. */
function connectArguments(args: unknown[]): [ConnectOptions, Listener | null] {
  if (Array.isArray(args[0])) return args[0] as [ConnectOptions, Listener | null];
  const last = args.at(-1);
  const listener = typeof last === 'function' ? (last as Listener) : null;
  const [first, second] = args;
  if (typeof first === 'object' && first !== null) return [first as ConnectOptions, listener];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first, port: 0 }, listener];
  return [{ port: Number(first), host: typeof second === 'string' ? second : 'localhost' }, listener];
}

/** For a socket that is there already: it connects, on loopback, to an entrance of its own that leads into the tunnel. */
async function connectThrough(path: string, socket: Socket, options: ConnectOptions): Promise<void> {
  const port = Number(options.port);
  // One that is used again begins as destroyed.
  const wasDestroyed = socket.destroyed;
  const isGivenUp = () => socket.destroyed && !wasDestroyed;
  const state = socket as { connecting: boolean };
  state.connecting = true;
  try {
    const { noDelay, keepAlive, keepAliveInitialDelay } = options;
    const own = { noDelay, keepAlive, keepAliveInitialDelay };
    const target = await targetOf(options);
    const tunnel = await tunnelOrOwn(path, target, port);
    if (isGivenUp()) tunnel?.socket.destroy();
    else if (!tunnel) connectDirectly.call(socket, { ...own, host: target, port });
    else {
      const entrance = await entranceTo(tunnel.socket);
      socket.once('close', () => entrance.close());
      if (isGivenUp()) {
        entrance.close();
        tunnel.socket.destroy();
        return;
      }
      connectDirectly.call(socket, { ...own, host: '127.0.0.1', port: entrance.port });
      const shown = { remoteAddress: { value: tunnel.address }, remotePort: { value: port } };
      Object.defineProperties(socket, shown);
    }
  } catch (error) {
    state.connecting = false;
    socket.destroy(error as Error);
  }
}

/** A skript may look names up in its own way; what it finds is connected to. */
async function targetOf({ host = 'localhost', lookup }: ConnectOptions): Promise<string> {
  if (!lookup || isIP(host) !== 0) return host;
  return new Promise((resolve, reject) => {
    lookup(host, {}, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === 'string' ? found : (found[0]?.address ?? host));
    });
  });
}

/** Null for a loopback address that the proxy does not reach: it may be a server of the run's own, in the sandbox. */
async function tunnelOrOwn(path: string, host: string, port: number): Promise<Tunnel | null> {
  try {
    return await openTunnel(path, host, port);
  } catch (error) {
    if (error instanceof ConnectError && error.code === 'EACCES' && OWN_LOOPBACK.test(host)) return null;
    throw error;
  }
}

async function reach(path: string, host: string, port: number): Promise<Socket> {
  const tunnel = await tunnelOrOwn(path, host, port);
  if (tunnel) return tunnel.socket;
  const socket = new Socket({ allowHalfOpen: true });
  connectDirectly.call(socket, { host, port });
  await once(socket, 'connect');
  return socket;
}

async function entranceTo(tunnel: Socket): Promise<{ port: number; close: () => void }> {
  const server = createServer({ allowHalfOpen: true }, visitor => {
    server.close();
    // The socket of the skript alone says whether there is something to wait for.
    void join(visitor, tunnel);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      if (server.listening) {
        server.close();
        tunnel.destroy();
      }
    },
  };
}
