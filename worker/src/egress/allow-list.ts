import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { networkList } from '@trawl/contracts';

/** One entry of TRAWL_EGRESS_ALLOW: a host name or a network in CIDR notation, and a port. */
export type AllowedEntry = { name: string; port: number } | AllowedNetwork;

/** Private addresses, in CIDR notation, that runs may reach over TCP on one port. */
export interface AllowedNetwork {
  network: string;
  port: number;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * Parses a comma-separated list of `host:port` and `cidr:port`. An IPv6 address is in brackets. Example:
 * `shop.internal:8080, 10.1.0.0/16:443, [::1]:3001`.
 *
 * @throws Error that names the invalid entry
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
    const isWellFormed = rest.length === 0 && (bracketed === undefined) === (family !== 6);
    if (isWellFormed && family !== 0) {
      const all = family === 4 ? 32 : 128;
      const length = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
      if (length <= all) return { network: `${address}/${length}`, port };
    }
    // A host name never ends in a number, so a text that does is not a name but an invalid address.
    if (isWellFormed && family === 0 && bits === undefined && NAME.test(address) && !/(^|\.)\d+$/.test(address)) {
      return { name: address.toLowerCase(), port };
    }
  }
  throw new Error(
    `"${entry}" is not host:port or cidr:port, such as shop.internal:8080, 10.1.0.0/16:443 or [::1]:3001`,
  );
}

/**
 * Resolves TRAWL_EGRESS_ALLOW to networks. When the lookup of a name fails, the addresses from its previous lookup stay
 * in the list.
 */
export class AllowList {
  readonly #entries: readonly AllowedEntry[];
  readonly #onLookupFailed: (name: string, reason: string) => void;
  readonly #addresses = new Map<string, string[]>();

  /** @param onLookupFailed called with each name whose lookup fails */
  constructor(entries: readonly AllowedEntry[], onLookupFailed: (name: string, reason: string) => void) {
    this.#entries = entries;
    this.#onLookupFailed = onLookupFailed;
  }

  get networks(): AllowedNetwork[] {
    return this.#entries.flatMap(entry => {
      if ('network' in entry) return [entry];
      const addresses = this.#addresses.get(entry.name) ?? [];
      return addresses.map(address => ({ network: `${address}/${isIPv6(address) ? 128 : 32}`, port: entry.port }));
    });
  }

  /** Looks up all names again. */
  async refresh(): Promise<void> {
    const names = new Set(this.#entries.flatMap(entry => ('name' in entry ? [entry.name] : [])));
    await Promise.all([...names].map(name => this.#lookUp(name)));
  }

  async #lookUp(name: string): Promise<void> {
    try {
      const found = await lookup(name, { all: true });
      this.#addresses.set(name, found.map(({ address }) => address).sort());
    } catch (error) {
      this.#onLookupFailed(name, String(error));
    }
  }
}

/** Returns whether runs may reach this address on this port although it is private; false for a host name. */
export function isAllowed(networks: readonly AllowedNetwork[], address: string, port: number): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const ofPort = networks.filter(
    allowed => allowed.port === port && allowed.network.includes(':') === (family === 'ipv6'),
  );
  const named = ofPort.map(({ network }) => network);
  return isIP(address) !== 0 && networkList(named, family).check(address, family);
}
