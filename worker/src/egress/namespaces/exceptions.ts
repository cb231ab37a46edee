import { readFile } from 'node:fs/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { AllowedNetwork, AllowList } from '../allow-list.js';
import type { RelayTarget } from './relay-messages.js';

/** The private addresses that runs may reach: directly, or through the relay if it is on the machine's loopback. */
export interface WantedExceptions {
  allowed: AllowedNetwork[];
  resolvers: string[];
  targets: RelayTarget[];
}

const DNS_PORT = 53;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);

/**
 * Reads what runs may reach from the settings and the machine's resolvers.
 *
 * @param resolvConf path of the file that names the resolvers
 * @throws Error that names what a namespace cannot have: IPv6, or a whole network of loopback addresses
 */
export async function readExceptions(allowList: AllowList, resolvConf: string): Promise<WantedExceptions> {
  return sortExceptions(allowList.networks, resolversIn(await readFile(resolvConf, 'utf8').catch(() => '')));
}

/** Sorts allowed networks and resolvers by how a run reaches them. */
export function sortExceptions(networks: readonly AllowedNetwork[], resolvers: readonly string[]): WantedExceptions {
  const allowed: AllowedNetwork[] = [];
  const targets = new Map<string, RelayTarget>();
  const relay = (target: RelayTarget) => targets.set(JSON.stringify(target), target);
  for (const one of networks) {
    const [address = '', bits] = one.network.split('/');
    // A name may have addresses of both families: runs then use the one of IPv4.
    if (!isIPv4(address)) continue;
    if (!LOOPBACK.check(address)) allowed.push(one);
    else if (bits === '32') relay({ protocol: 'tcp', address, port: one.port });
    else
      throw new Error(`TRAWL_EGRESS_ALLOW has the loopback network ${one.network}, of which only one address works.`);
  }
  for (const address of resolvers.filter(address => LOOPBACK.check(address))) {
    for (const protocol of ['tcp', 'udp'] as const) relay({ protocol, address, port: DNS_PORT });
  }
  return {
    allowed,
    resolvers: resolvers.filter(address => !LOOPBACK.check(address)),
    targets: [...targets.values()],
  };
}

/**
 * Returns the resolvers of the C library that have an IPv4 address.
 *
 * @throws Error if all have an IPv6 address
 */
export function resolversIn(text: string): string[] {
  const named = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address.split('%')[0] ?? '');
  const addresses = named.filter(address => isIP(address) !== 0);
  if (addresses.length === 0) return ['127.0.0.1'];
  const usable = addresses.filter(isIPv4);
  if (usable.length > 0) return usable;
  throw new Error('All resolvers of this machine have IPv6 addresses, which the networks of runs do not have.');
}
