import { promises as dns, type LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BlockList, connect, isIP, isIPv6, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AllowedNetwork, isAllowed } from './allow-list.js';
import { isPrivate } from './private-ranges.js';
import { ADDRESS_HEADER, DNS_METHODS, DNS_PATH, type DnsMethod, type ProxyFailure } from './proxy-protocol.js';

/** Of one run. */
const MAX_TUNNELS = 256;
const MAX_CONNECTIONS = MAX_TUNNELS + 64;
/**
 * Names that are being looked up for one run; the others wait. Each takes one of the threads that all runs share, for as
 * long as a nameserver does not answer, so there are threads for all that all runs may take (`proxy-egress.ts`).
 */
export const MAX_LOOKUPS = 4;
/** A connection of which one side has ended is closed when nothing came for so long. */
const HALF_OPEN_IDLE_MS = 30_000;

type Lookup = (name: string) => Promise<LookupAddress[]>;

const lookUp: Lookup = name => dns.lookup(name, { all: true, order: 'verbatim' });

/** Connects runs that have no network of their own, each over a server of its own, with what they may reach. */
export class EgressProxy {
  /** What they may reach although it is private. */
  allowed: AllowedNetwork[] = [];
  readonly #lookUp: Lookup;

  constructor(lookup: Lookup = lookUp) {
    this.#lookUp = lookup;
  }

  /** A server for one run at a time; it does not listen yet. */
  server(): Server {
    const turns = new Turns(MAX_LOOKUPS);
    let tunnels = 0;
    const server = createServer((request, response) => void answerDns(request, response, turns));
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connect', async (request: IncomingMessage, client: Duplex, head: Buffer) => {
      client.on('error', () => client.destroy());
      if (tunnels >= MAX_TUNNELS) {
        const message = `A run may have ${MAX_TUNNELS} connections at a time.`;
        refuse(client, { code: 'EMFILE', message });
        return;
      }
      tunnels += 1;
      try {
        await this.#tunnel(request.url ?? '', client, head, turns);
      } catch (error) {
        refuse(client, failureOf(error));
      } finally {
        tunnels -= 1;
      }
    });
    return server;
  }

  async #tunnel(target: string, client: Duplex, head: Buffer, turns: Turns): Promise<void> {
    const [, bracketed, plain, portText] = target.match(/^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/) ?? [];
    const host = bracketed ?? decodeURIComponent(plain ?? '');
    const port = Number(portText);
    if (host === '' || !(port >= 1 && port <= 65_535)) throw new Refusal('EINVAL', `"${target}" is not host:port`);
    const addresses = await this.#reachable(host, port, turns);
    const upstream = await connected(addresses, port);
    const { remoteAddress = '' } = upstream;
    client.write(`HTTP/1.1 200 OK\r\n${ADDRESS_HEADER}: ${remoteAddress}\r\n\r\n`);
    upstream.write(head);
    // Each way by itself: one side may have said all and still listen. Or it is gone, which looks the same from here.
    for (const end of [client, upstream]) {
      end.once('end', () => upstream.setTimeout(HALF_OPEN_IDLE_MS, () => upstream.destroy()));
    }
    await Promise.all([pipeline(client, upstream), pipeline(upstream, client)]).catch(() => {
      client.destroy();
      upstream.destroy();
    });
  }

  /** Looked up once: what is judged here is what is connected to. */
  async #reachable(host: string, port: number, turns: Turns): Promise<LookupAddress[]> {
    const family = isIP(host);
    const found = family ? [{ address: host, family }] : await turns.take(() => this.#lookUp(host));
    const own = ownAddresses();
    const reachable = found.filter(
      ({ address }) =>
        isAllowed(this.allowed, address, port) || !(isPrivate(address) || own.check(address, familyOf(address))),
    );
    if (reachable.length > 0) return reachable;
    const [{ address } = { address: host }] = found;
    const named = address === host ? address : `${host} (${address})`;
    throw new Refusal('EACCES', `connect EACCES ${named} port ${port}: no run reaches this address`, address);
  }
}

/** Not as texts: an address of IPv6 has many spellings. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const list of Object.values(networkInterfaces())) {
    for (const { address } of list ?? []) own.addAddress(address, familyOf(address));
  }
  return own;
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly address?: string,
  ) {
    super(message);
  }
}

function connected(addresses: LookupAddress[], port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: addresses.length === 1 ? (addresses[0] as LookupAddress).address : 'judged.invalid',
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      lookup: (_name, _options, callback) => callback(null, addresses),
    });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

async function answerDns(request: IncomingMessage, response: ServerResponse, turns: Turns): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://proxy');
    if (url.pathname !== DNS_PATH) throw new Refusal('EINVAL', `${url.pathname} is nothing that this proxy answers`);
    const [method, name, option] = JSON.parse(url.searchParams.get('call') ?? '[]') as unknown[];
    if (!isDnsMethod(method) || typeof name !== 'string') throw new Refusal('EINVAL', 'no such question about a name');
    const answer = await turns.take(() => ask(method, name, option));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  } catch (error) {
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(failureOf(error)));
  }
}

const isDnsMethod = (method: unknown): method is DnsMethod => (DNS_METHODS as readonly unknown[]).includes(method);

function ask(method: DnsMethod, name: string, option: unknown): Promise<unknown> {
  if (method === 'lookup') return lookUp(name);
  if (method === 'resolve') return dns.resolve(name, typeof option === 'string' ? option : 'A');
  if (method === 'resolve4' || method === 'resolve6') {
    const ttl = typeof option === 'object' && option !== null && 'ttl' in option && option.ttl === true;
    return ttl ? dns[method](name, { ttl }) : dns[method](name);
  }
  return dns[method](name);
}

function failureOf(error: unknown): ProxyFailure {
  // Of several addresses that failed, the first says what is the matter.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = 'EIO', message = String(first), address } = first as Partial<ProxyFailure>;
  return {
    code: String(code),
    message: String(message),
    ...(address === undefined ? {} : { address: String(address) }),
  };
}

function refuse(client: Duplex, failure: ProxyFailure): void {
  if (client.destroyed) return;
  const body = JSON.stringify(failure);
  client.end(
    `HTTP/1.1 403 Forbidden\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Lets so many things go on at a time. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
