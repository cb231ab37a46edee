import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Opens a connection. */
export type Connect = (host: string, port: number) => Promise<Socket>;

const VERSION = 5;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4];
const FAILURES: Record<string, number> = { EACCES: 2, ENETUNREACH: 3, ENOTFOUND: 4, EHOSTUNREACH: 4, ECONNREFUSED: 5 };
const GENERAL_FAILURE = 1;
const COMMAND_UNKNOWN = 7;

/**
 * Starts a SOCKS 5 server for programs that can use a proxy, and returns its port. The server supports only CONNECT and
 * no authentication (RFC 1928). It does not keep the process alive.
 */
export function startSocksRelay(connect: Connect): number {
  const server = createServer({ allowHalfOpen: true }, client => {
    client.unref();
    client.on('error', () => client.destroy());
    serve(client, connect).catch(() => client.destroy());
  });
  // Give no address, because `listen` is then synchronous. This is safe, because only the run itself can reach the
  // sandbox's network.
  server.unref().listen(0);
  return (server.address() as AddressInfo).port;
}

async function serve(client: Socket, connect: Connect): Promise<void> {
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
    target = await connect(host, port);
  } catch (error) {
    return answer(client, FAILURES[(error as NodeJS.ErrnoException).code ?? ''] ?? GENERAL_FAILURE);
  }
  answer(client, 0);
  await pipeBoth(client, target);
}

/**
 * Passes data from each socket to the other. The directions are independent: a side that has sent everything may still
 * receive. The sockets do not keep the process alive.
 */
export async function pipeBoth(one: Socket, other: Socket): Promise<void> {
  for (const socket of [one, other]) socket.unref();
  await Promise.all([pipeline(one, other), pipeline(other, one)]).catch(() => {
    one.destroy();
    other.destroy();
  });
}

async function hostOf(client: Socket, kind: number | undefined): Promise<string> {
  if (kind === IPV4) return (await bytes(client, 4)).join('.');
  if (kind === NAME) return (await bytes(client, (await bytes(client, 1))[0] ?? 0)).toString('latin1');
  if (kind !== IPV6) throw new Error('unknown type of address');
  const address = await bytes(client, 16);
  return Array.from({ length: 8 }, (_, group) => address.readUInt16BE(2 * group).toString(16)).join(':');
}

/**
 * Sends the reply that the connection succeeded or failed. The address in the reply is always 0.0.0.0, because clients
 * do not need it.
 */
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
    if (client.readableEnded || client.destroyed) throw new Error('the connection ended');
    await once(client, 'readable');
  }
}
