import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { isOwnAddress, isPrivate, networkList } from '@trawl/contracts';

const DNS_TIMEOUT_MS = 3_000;

/** A connection was refused because of its address. The message is for the account that chose the address. */
export class RefusedAddress extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';
}

export interface GuardedAgents {
  /**
   * Returns why every connection to a URL will be refused; null if it will not, or if a name server decides. So a
   * setting of a user that cannot work can be refused at once.
   */
  refusalOf: (url: URL) => RefusedAddress | null;
  /** For `http:` URLs. Connects only to allowed networks, because others could read what it sends. */
  http: HttpAgent;
  /** For `https:` URLs. Connects to public addresses and to allowed networks. */
  https: HttpsAgent;
}

/** Returns all addresses of a name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/**
 * Creates agents for requests to addresses that users choose. They judge addresses when they connect: a host name is
 * looked up once, and the socket connects to the addresses of exactly that answer. So a name cannot change its address
 * between check and connection. A name with one refused address is refused entirely.
 * See docs/decisions/0155-judge-addresses-at-connection.md.
 * @param allowed networks in CIDR notation that may be reached although they are private.
 */
export function guardedAgents(
  allowed: readonly string[],
  options: AgentOptions = {},
  resolve: Resolve = resolveByDns,
): GuardedAgents {
  const isAllowed = allowList(allowed);
  const refuseHttp = (address: string) => (isAllowed(address) ? null : 'it is not encrypted. Use https');
  const refuseHttps = (address: string) =>
    isAllowed(address) || !(isPrivate(address) || isOwnAddress(address))
      ? null
      : // The answer of the name server may be a secret of the operator's network, so the reason does not name it.
        'its address is private, loopback or otherwise special';
  return {
    refusalOf: ({ protocol, hostname }) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      return refusal(host, knownAddresses(host), protocol === 'http:' ? refuseHttp : refuseHttps);
    },
    http: guarded(new HttpAgent(options), refuseHttp, resolve),
    https: guarded(new HttpsAgent(options), refuseHttps, resolve),
  };
}

/** Says why an address is refused; null if it is not. */
type Refuse = (address: string) => string | null;

function guarded<Agent extends HttpAgent>(agent: Agent, refuse: Refuse, resolve: Resolve): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const host = options.host ?? 'localhost';
    // Node does not call `lookup` for a host that is an address already.
    const refused = isIP(host) ? refusal(host, knownAddresses(host), refuse) : null;
    if (refused) {
      // Node accepts a callback with an error alone; its type does not say so.
      (callback as (error: Error) => void)(refused);
      return undefined;
    }
    return connect({ ...options, lookup: judgedLookup(refuse, resolve) }, callback);
  };
  return agent;
}

/** A `lookup` for sockets that fails if one of the name's addresses is refused. */
const judgedLookup =
  (refuse: Refuse, resolve: Resolve): LookupFunction =>
  (host, { all }, callback) =>
    void judged(host, refuse, resolve).then(
      addresses => (all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family)),
      (error: Error) => callback(error, []),
    );

async function judged(host: string, refuse: Refuse, resolve: Resolve): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(host);
  if (!first) throw new Error(`${host} has no address.`);
  const refused = refusal(host, [first, ...others], refuse);
  if (refused) throw refused;
  return [first, ...others];
}

/** Returns the addresses of a host that no name server is asked for; none for all other hosts. */
function knownAddresses(host: string): LookupAddress[] {
  if (/(^|\.)localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  return isIP(host) ? [{ address: host, family: isIP(host) }] : [];
}

/**
 * Asks the name servers directly. Node's usual lookup would occupy one of four threads, which hashes of passwords and
 * files need too, for as long as the slowest name server likes. So names in `/etc/hosts` are unknown here.
 */
async function resolveByDns(host: string): Promise<LookupAddress[]> {
  const known = knownAddresses(host);
  if (known.length > 0) return known;
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return found;
}

const addressesOf = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map(address => ({ address, family })) : [];

function refusal(host: string, addresses: LookupAddress[], refuse: Refuse): RefusedAddress | null {
  for (const { address } of addresses) {
    const reason = refuse(address);
    if (reason) return new RefusedAddress(`Trawl does not connect to ${host}: ${reason}.`);
  }
  return null;
}

function allowList(networks: readonly string[]): (address: string) => boolean {
  const isOfIPv6 = (network: string) => isIPv6(network.split('/')[0] ?? '');
  const withBits = (network: string) => (network.includes('/') ? network : `${network}/${isIPv6(network) ? 128 : 32}`);
  const all = networks.map(withBits);
  const lists = {
    ipv4: networkList(
      all.filter(network => !isOfIPv6(network)),
      'ipv4',
    ),
    ipv6: networkList(all.filter(isOfIPv6), 'ipv6'),
  };
  return address => {
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    return lists[family].check(address, family);
  };
}
