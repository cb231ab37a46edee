import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import type { RelayedTarget, RelayTarget } from './relay-messages.js';

/** After this time without a packet, the relay forgets who sent a datagram, and closes a connection. */
const DATAGRAM_IDLE_MS = 15_000;
const HALF_OPEN_IDLE_MS = 30_000;
/** Maximum number of senders of datagrams that wait for an answer from one service. */
const MAX_SENDERS = 1_024;
const MAX_CONNECTIONS = 4_096;

/** Listens for a service, and connects every caller with it. */
export async function relay(host: string, target: RelayTarget): Promise<RelayedTarget> {
  return { ...target, at: await (target.protocol === 'tcp' ? relayConnections : relayDatagrams)(host, target) };
}

async function relayConnections(host: string, { address, port }: RelayTarget): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, client => {
    const upstream = connect({ host: address, port, allowHalfOpen: true });
    for (const end of [client, upstream]) {
      end.once('end', () => end.setTimeout(HALF_OPEN_IDLE_MS, () => end.destroy()));
    }
    // When a connection breaks, `pipeline` destroys its other end too, so there is no error to handle.
    pipeline(client, upstream, client, () => {});
    upstream.once('error', () => client.resetAndDestroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function relayDatagrams(host: string, target: RelayTarget): Promise<number> {
  const senders = new Map<string, { socket: Socket; timer: NodeJS.Timeout }>();
  const server = createSocket('udp4');
  const upstreamOf = (sender: RemoteInfo): Socket => {
    const key = `${sender.address} ${sender.port}`;
    const known = senders.get(key);
    if (known) {
      known.timer.refresh();
      return known.socket;
    }
    const oldest = senders.keys().next().value;
    if (senders.size >= MAX_SENDERS && oldest !== undefined) forget(oldest);
    const socket = createSocket(target.address.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', bytes => server.send(bytes, sender.port, sender.address, ignore));
    socket.on('error', ignore);
    senders.set(key, { socket, timer: setTimeout(() => forget(key), DATAGRAM_IDLE_MS) });
    return socket;
  };
  const forget = (key: string) => {
    const known = senders.get(key);
    clearTimeout(known?.timer);
    known?.socket.close();
    senders.delete(key);
  };
  server.on('message', (bytes, sender) => upstreamOf(sender).send(bytes, target.port, target.address, ignore));
  server.bind(0, host);
  await once(server, 'listening');
  server.on('error', ignore);
  return server.address().port;
}

/** Datagrams may be lost, so the sender repeats what got no answer. */
const ignore = (): void => {};
