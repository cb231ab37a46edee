import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';
import { type ConnectOptions, connectArguments, OWN_LOOPBACK } from './connect-arguments.js';
import { type ConnectSocket, connectBy } from './connect-by.js';
import { rejectDatagrams } from './proxied-datagrams.js';
import { installProxiedDns } from './proxied-dns.js';
import { ConnectError, openTunnel, type Tunnel } from './proxy-client.js';
import { startSocksRelay } from './socks-relay.js';

const connectDirectly = Socket.prototype.connect as ConnectSocket;

/**
 * Changes `net` and `dns`, and so also `tls`, `http` and `fetch`: they connect through the worker's proxy, because the
 * sandbox has only its own loopback network. For a browser and other child processes there is a SOCKS 5 relay, whose
 * address is in TRAWL_PROXY. All this is only for convenience. The sandbox and the proxy isolate the run: a skript that
 * undoes these changes cannot reach anything.
 *
 * @param path of the proxy's socket
 */
export function installProxiedNetwork(path: string): void {
  const connect: ConnectSocket = function (...args) {
    const [options, listener] = connectArguments(args);
    if (options.path || options.port === undefined) return connectDirectly.apply(this, args);
    if (listener) this.once('connect', listener);
    connectThrough(path, this, options);
    return this;
  };
  Socket.prototype.connect = connect as typeof Socket.prototype.connect;
  installProxiedDns(path);
  rejectDatagrams();
  syncBuiltinESMExports();
  const port = startSocksRelay((host, port) => connectTo(path, host, port));
  process.env.TRAWL_PROXY = `socks5h://127.0.0.1:${port}`;
}

/** Connects an existing socket through the proxy. */
function connectThrough(path: string, socket: Socket, options: ConnectOptions): void {
  const port = Number(options.port);
  const open = async () => {
    const target = await targetOf(options);
    return (await tunnelOrOwn(path, target, port)) ?? target;
  };
  void connectBy(socket, options, open, connectDirectly);
}

/**
 * Returns the host to connect to. If the skript gave its own `lookup` function, returns the address that this function
 * finds for the host.
 */
async function targetOf({ host = 'localhost', lookup }: ConnectOptions): Promise<string> {
  if (!lookup || isIP(host) !== 0) return host;
  return new Promise((resolve, reject) => {
    lookup(host, {}, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === 'string' ? found : (found[0]?.address ?? host));
    });
  });
}

/**
 * Opens a tunnel. Returns null for a loopback address that the proxy rejects: the caller then connects inside the
 * sandbox, where the run may have a server of its own.
 */
async function tunnelOrOwn(path: string, host: string, port: number): Promise<Tunnel | null> {
  try {
    return await openTunnel(path, host, port);
  } catch (error) {
    if (error instanceof ConnectError && error.code === 'EACCES' && OWN_LOOPBACK.test(host)) return null;
    throw error;
  }
}

async function connectTo(path: string, host: string, port: number): Promise<Socket> {
  const tunnel = await tunnelOrOwn(path, host, port);
  if (tunnel) return tunnel.socket;
  const socket = new Socket({ allowHalfOpen: true });
  connectDirectly.call(socket, { host, port });
  await once(socket, 'connect');
  return socket;
}
