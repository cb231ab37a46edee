import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { listOf } from './private-ranges.js';

/** One entry of TRAWL_EGRESS_ALLOW: a name, or a network in CIDR notation, and a port. */
export type AllowedEntry = { name: string; port: number } | AllowedNetwork;

/** Addresses, in CIDR notation, that runs may reach over TCP on one port although they are private. */
export interface AllowedNetwork {
  network: string;
  port: number;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * Reads `host:port` and `cidr:port`, comma-separated, with brackets around IPv6: `shop.internal:8080, 10.1.0.0/16:443,
 * [::1]:3001`.
 *
 * @throws Error that says which entry is wrong.
 */
export function parseAllowed(text: string): AllowedEntry[] {
  return text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
    .map(parseEntry);
}

function parseEntry(entry: string): AllowedEntry {
  const [, bracketed, plain, portText] = entry.match(/^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/) ?? [];
  const port = Number(portText);
  if (port >= 1 && port <= 65_535) {
    const [address = '', bits, ...rest] = (bracketed ?? plain ?? '').split('/');
    const family = isIP(address);
    const isOfItsForm = rest.length === 0 && (bracketed === undefined) === (family !== 6);
    if (isOfItsForm && family !== 0) {
      const all = family === 4 ? 32 : 128;
      const length = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
      if (length <= all) return { network: `${address}/${length}`, port };
    }
    // What ends in a number is an address, if a wrong one: no name does.
    if (isOfItsForm && family === 0 && bits === undefined && NAME.test(address) && !/(^|\.)\d+$/.test(address)) {
      return { name: address.toLowerCase(), port };
    }
  }
  throw new Error(
    `"${entry}" is not host:port or cidr:port, such as shop.internal:8080, 10.1.0.0/16:443 or [::1]:3001`,
  );
}

/** The networks that TRAWL_EGRESS_ALLOW stands for. A name keeps the addresses that it had last when it has none now. */
export class AllowList {
  readonly #entries: readonly AllowedEntry[];
  readonly #unknown: (name: string, reason: string) => void;
  readonly #addresses = new Map<string, string[]>();

  /** @param unknown told of a name that could not be looked up, and why */
  constructor(entries: readonly AllowedEntry[], unknown: (name: string, reason: string) => void) {
    this.#entries = entries;
    this.#unknown = unknown;
  }

  get networks(): AllowedNetwork[] {
    return this.#entries.flatMap(entry => {
      if ('network' in entry) return [entry];
      const addresses = this.#addresses.get(entry.name) ?? [];
      return addresses.map(address => ({ network: `${address}/${isIPv6(address) ? 128 : 32}`, port: entry.port }));
    });
  }

  /** Looks all names up. */
  async refresh(): Promise<void> {
    const names = new Set(this.#entries.flatMap(entry => ('name' in entry ? [entry.name] : [])));
    await Promise.all([...names].map(name => this.#lookUp(name)));
  }

  async #lookUp(name: string): Promise<void> {
    try {
      const found = await lookup(name, { all: true });
      this.#addresses.set(name, found.map(({ address }) => address).sort());
    } catch (error) {
      this.#unknown(name, String(error));
    }
  }
}

/** Whether an address (not a name) may be reached on that port although it is private. */
export function isAllowed(networks: readonly AllowedNetwork[], address: string, port: number): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const ofPort = networks.filter(
    allowed => allowed.port === port && allowed.network.includes(':') === (family === 'ipv6'),
  );
  const named = ofPort.map(({ network }) => network);
  return isIP(address) !== 0 && listOf(named, family).check(address, family);
}
