import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ConnectOptions } from './connect-arguments.js';
import type { Tunnel } from './proxy-client.js';
import { pipeBoth } from './socks-relay.js';

export type ConnectSocket = (this: Socket, ...args: unknown[]) => Socket;

/** Parts of a socket that Node's types leave out. */
interface Internals {
  connecting: boolean;
  _handle: { readStop(): void; reading: boolean } | null;
  _undestroy(): void;
  _unrefTimer(): void;
}

/** The method by which Node itself gives a socket another handle, when it tries a second address. */
const REINITIALIZE = Object.getOwnPropertySymbols(Socket.prototype).find(
  ({ description }) => description === 'kReinitializeHandle',
) as symbol;

/**
 * Connects a socket, with everything that a skript sees of it, as `Socket.connect` does.
 *
 * @param open opens the connection, or returns the host to which the socket has to connect directly. The signal aborts
 *   when the skript destroys the socket
 * @param connectDirectly what `Socket.connect` is otherwise
 */
export async function connectBy(
  socket: Socket,
  { port, noDelay, keepAlive, keepAliveInitialDelay }: ConnectOptions,
  open: (signal: AbortSignal) => Promise<Tunnel | string>,
  connectDirectly: ConnectSocket,
): Promise<void> {
  const internals = socket as unknown as Internals;
  const own = { noDelay, keepAlive, keepAliveInitialDelay };
  // A socket that is used again is still marked as destroyed at this point.
  if (socket.destroyed) internals._undestroy();
  internals.connecting = true;
  const aborter = new AbortController();
  const abort = () => aborter.abort();
  socket.once('close', abort);
  try {
    const opened = await open(aborter.signal);
    if (typeof opened === 'string') {
      if (!socket.destroyed) connectDirectly.call(socket, { ...own, host: opened, port });
      return;
    }
    if (socket.destroyed) {
      opened.socket.destroy();
      return;
    }
    const shown = { remoteAddress: { value: opened.address }, remotePort: { value: Number(port) } };
    if (opened.socket instanceof TLSSocket) {
      const relay = await relayTo(opened.socket);
      if (socket.destroyed) relay.close();
      else connectDirectly.call(socket, { ...own, host: '127.0.0.1', port: relay.port });
      socket.once('close', () => relay.close());
    } else takeOver(socket, opened.socket);
    Object.defineProperties(socket, shown);
  } catch (error) {
    internals.connecting = false;
    socket.destroy(error as Error);
  } finally {
    socket.off('close', abort);
  }
}

/** Gives a socket the handle of a connected one, which is of no use after that. */
function takeOver(socket: Socket, connected: Socket): void {
  const [taking, giving] = [socket, connected] as unknown as [Internals, Internals];
  const handle = giving._handle as NonNullable<Internals['_handle']>;
  handle.readStop();
  handle.reading = false;
  giving._handle = null;
  const early: Buffer | null = connected.read();
  connected.destroy();
  // Encrypted data can only follow the client's first message: this is somebody who pretends to be the target.
  if (early && socket instanceof TLSSocket) throw new Error('The proxy sent data before the TLS handshake.');
  (taking as unknown as Record<symbol, (handle: object) => void>)[REINITIALIZE]?.(handle);
  taking.connecting = false;
  taking._unrefTimer();
  if (early) socket.unshift(early);
  socket.emit('connect');
  socket.emit('ready');
  if (!socket.isPaused()) socket.read(0);
}

/** Starts a server on loopback that passes all data of its first client on. It serves data that is encrypted in this process. */
async function relayTo(tunnel: Socket): Promise<{ port: number; close: () => void }> {
  const server = createServer({ allowHalfOpen: true }, client => {
    server.close();
    // The relay does not keep the process alive; the skript's own socket does.
    void pipeBoth(client, tunnel);
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
