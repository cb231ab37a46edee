import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Opens what is asked for. */
export type Reach = (host: string, port: number) => Promise<Socket>;

const VERSION = 5;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4];
const FAILURES: Record<string, number> = { EACCES: 2, ENETUNREACH: 3, ENOTFOUND: 4, EHOSTUNREACH: 4, ECONNREFUSED: 5 };
const GENERAL_FAILURE = 1;
const COMMAND_UNKNOWN = 7;

/**
 * A SOCKS 5 server (RFC 1928: no authentication, CONNECT) for programs that are told to use a proxy. It does not keep the
 * process going. Gives its port.
 */
export function socksRelay(reach: Reach): number {
  const server = createServer({ allowHalfOpen: true }, client => {
    client.unref();
    client.on('error', () => client.destroy());
    serve(client, reach).catch(() => client.destroy());
  });
  // Without an address it listens at once, and nobody but the run is in its network.
  server.unref().listen(0);
  return (server.address() as AddressInfo).port;
}

async function serve(client: Socket, reach: Reach): Promise<void> {
  const [version, methods = 0] = await bytes(client, 2);
  if (version !== VERSION) throw new Error('not SOCKS 5');
  await bytes(client, methods);
  client.write(Buffer.from([VERSION, 0]));
  const [, command, , kind] = await bytes(client, 4);
  const host = await hostOf(client, kind);
  const port = (await bytes(client, 2)).readUInt16BE();
  if (command !== CONNECT) return answer(client, COMMAND_UNKNOWN);
  let target: Socket;
  try {
    target = await reach(host, port);
  } catch (error) {
    return answer(client, FAILURES[(error as NodeJS.ErrnoException).code ?? ''] ?? GENERAL_FAILURE);
  }
  answer(client, 0);
  await join(client, target);
}

/** Both ways, each by itself: one side may have said all and still listen. Neither keeps the process going. */
export async function join(one: Socket, other: Socket): Promise<void> {
  for (const socket of [one, other]) socket.unref();
  await Promise.all([pipeline(one, other), pipeline(other, one)]).catch(() => {
    one.destroy();
    other.destroy();
  });
}

async function hostOf(client: Socket, kind: number | undefined): Promise<string> {
  if (kind === IPV4) return (await bytes(client, 4)).join('.');
  if (kind === NAME) return (await bytes(client, (await bytes(client, 1))[0] ?? 0)).toString('latin1');
  if (kind !== IPV6) throw new Error('no kind of address');
  const address = await bytes(client, 16);
  return Array.from({ length: 8 }, (_, group) => address.readUInt16BE(2 * group).toString(16)).join(':');
}

/** Failure or success; which address the connection has here is nothing to whoever asks. */
function answer(client: Socket, code: number): void {
  const reply = Buffer.from([VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0]);
  if (code === 0) client.write(reply);
  else client.end(reply);
}

async function bytes(client: Socket, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0);
  for (;;) {
    const read: Buffer | null = client.read(count);
    if (read !== null && read.length === count) return read;
    if (client.readableEnded || client.destroyed) throw new Error('it ended');
    await once(client, 'readable');
  }
}
