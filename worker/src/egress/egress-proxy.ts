import { promises as dns, type LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
// The whole package would load zod, which takes as long as the rest of the start of the proxy's process.
import { isOwnAddress, isPrivate } from '@trawl/contracts/private-ranges';
import {
  ADDRESS_HEADER,
  DNS_METHODS,
  DNS_PATH,
  type DnsMethod,
  type ProxyFailure,
} from '../protocol/proxy-protocol.js';
import { type AllowedNetwork, isAllowed } from './allow-list.js';

/** Limits for one run. */
const MAX_TUNNELS = 256;
const MAX_CONNECTIONS = MAX_TUNNELS + 64;
/**
 * Maximum number of concurrent name lookups for one run; further lookups wait. Each lookup blocks a thread of a pool
 * that all runs share. The pool has enough threads for this many lookups of every run (`proxy-egress.ts`).
 */
export const MAX_LOOKUPS = 4;
/** After one side has finished sending, a tunnel that is idle for this long is closed. */
const HALF_OPEN_IDLE_MS = 30_000;

type Lookup = (name: string) => Promise<LookupAddress[]>;

const lookUp: Lookup = name => dns.lookup(name, { all: true, order: 'verbatim' });

/**
 * Connects runs, whose sandboxes have no network, to the addresses that they may reach. Each slot has its own server.
 */
export class EgressProxy {
  /** Private networks that runs may reach although private addresses are normally denied. */
  allowed: AllowedNetwork[] = [];
  readonly #lookUp: Lookup;

  constructor(lookup: Lookup = lookUp) {
    this.#lookUp = lookup;
  }

  /** Creates the server of one slot; the caller makes it listen. */
  server(): Server {
    const lookups = new Semaphore(MAX_LOOKUPS);
    let tunnels = 0;
    const server = createServer((request, response) => void answerDns(request, response, lookups));
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connect', async (request: IncomingMessage, client: Duplex, head: Buffer) => {
      client.on('error', () => client.destroy());
      if (tunnels >= MAX_TUNNELS) {
        const message = `A run can have at most ${MAX_TUNNELS} connections at a time.`;
        refuse(client, { code: 'EMFILE', message });
        return;
      }
      tunnels += 1;
      try {
        await this.#tunnel(request.url ?? '', client, head, lookups);
      } catch (error) {
        refuse(client, failureOf(error));
      } finally {
        tunnels -= 1;
      }
    });
    return server;
  }

  async #tunnel(target: string, client: Duplex, head: Buffer, lookups: Semaphore): Promise<void> {
    const [, bracketed, plain, portText] = target.match(/^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/) ?? [];
    const host = bracketed ?? decodeURIComponent(plain ?? '');
    const port = Number(portText);
    if (host === '' || !(port >= 1 && port <= 65_535)) throw new Refusal('EINVAL', `"${target}" is not host:port`);
    const addresses = await this.#resolve(host, port, lookups);
    const upstream = await connected(addresses, port);
    const { remoteAddress = '' } = upstream;
    client.write(`HTTP/1.1 200 OK\r\n${ADDRESS_HEADER}: ${remoteAddress}\r\n\r\n`);
    upstream.write(head);
    // When one side has sent everything, the other direction stays open, because that side may still receive. A side
    // that has disappeared cannot be told from this, so an idle timeout closes the tunnel.
    for (const end of [client, upstream]) {
      end.once('end', () => upstream.setTimeout(HALF_OPEN_IDLE_MS, () => upstream.destroy()));
    }
    await Promise.all([pipeline(client, upstream), pipeline(upstream, client)]).catch(() => {
      client.destroy();
      upstream.destroy();
    });
  }

  /**
   * Looks the host up and returns the addresses that runs may reach. The tunnel connects to these addresses and never
   * to the name, so a second lookup cannot give others.
   *
   * @throws Refusal when runs may reach none of them
   */
  async #resolve(host: string, port: number, lookups: Semaphore): Promise<LookupAddress[]> {
    const family = isIP(host);
    const found = family ? [{ address: host, family }] : await lookups.run(() => this.#lookUp(host));
    const reachable = found.filter(
      ({ address }) => isAllowed(this.allowed, address, port) || !(isPrivate(address) || isOwnAddress(address)),
    );
    if (reachable.length > 0) return reachable;
    const [{ address } = { address: host }] = found;
    const named = address === host ? address : `${host} (${address})`;
    const rule = isPrivate(address)
      ? 'it is loopback, private or otherwise special, and TRAWL_EGRESS_ALLOW of the worker does not list it with this port'
      : 'it is an address of the worker’s own machine';
    const message = `connect EACCES ${named} port ${port}: runs cannot reach this address, because ${rule}`;
    throw new Refusal('EACCES', message, address);
  }
}

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

async function answerDns(request: IncomingMessage, response: ServerResponse, lookups: Semaphore): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://proxy');
    if (url.pathname !== DNS_PATH) throw new Refusal('EINVAL', `the egress proxy does not serve ${url.pathname}`);
    const [method, name, option] = JSON.parse(url.searchParams.get('call') ?? '[]') as unknown[];
    if (!isDnsMethod(method) || typeof name !== 'string') throw new Refusal('EINVAL', 'invalid DNS query');
    const answer = await lookups.run(() => queryDns(method, name, option));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  } catch (error) {
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(failureOf(error)));
  }
}

const isDnsMethod = (method: unknown): method is DnsMethod => (DNS_METHODS as readonly unknown[]).includes(method);

function queryDns(method: DnsMethod, name: string, option: unknown): Promise<unknown> {
  if (method === 'lookup') return lookUp(name);
  if (method === 'resolve') return dns.resolve(name, typeof option === 'string' ? option : 'A');
  if (method === 'resolve4' || method === 'resolve6') {
    const ttl = typeof option === 'object' && option !== null && 'ttl' in option && option.ttl === true;
    return ttl ? dns[method](name, { ttl }) : dns[method](name);
  }
  return dns[method](name);
}

function failureOf(error: unknown): ProxyFailure {
  // When several addresses failed, report the first.
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

/** Limits how many actions run at the same time. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(act: () => Promise<Result>): Promise<Result> {
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
