import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { DNS_METHODS, type DnsMethod } from '../../protocol/proxy-protocol.js';
import { queryDns } from './proxy-client.js';

type Query = (...args: unknown[]) => Promise<unknown>;
type Methods = Record<string, unknown>;

/**
 * Changes all functions of `node:dns`, so that they send their queries to the worker's proxy. If a skript sets DNS
 * servers, they are ignored.
 *
 * @param path of the proxy's socket
 */
export function installProxiedDns(path: string): void {
  const promiseApis = [dns.promises, dns.promises.Resolver.prototype] as unknown as Methods[];
  const callbackApis = [dns, dns.Resolver.prototype] as unknown as Methods[];
  const install = (name: DnsMethod, query: Query) => {
    for (const api of promiseApis) if (name in api) api[name] = query;
    const withCallback = callbackify(query);
    for (const api of callbackApis) if (name in api) api[name] = withCallback;
  };
  for (const name of DNS_METHODS) {
    if (name !== 'lookup') install(name, (host, option) => queryDns(path, [name, host, option]));
  }
  const lookupLocally = dns.promises.lookup;
  const lookup = async (host: string, options: LookupOptions): Promise<LookupAddress[]> => {
    // Resolve IP addresses and `localhost` inside the sandbox, because they need no DNS server.
    if (isIP(host) !== 0 || host === 'localhost') return lookupLocally(host, { ...options, all: true });
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    const found = (await queryDns(path, ['lookup', host])) as LookupAddress[];
    const ofFamily = found.filter(address => family === 0 || address.family === family);
    if (ofFamily.length > 0) return ofFamily;
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
      hostname: host,
    });
  };
  (dns.promises as unknown as Methods).lookup = async (host: string, given?: LookupOptions | number) => {
    const options = optionsOf(given);
    const found = await lookup(host, options);
    return options.all ? found : found[0];
  };
  (dns as unknown as Methods).lookup = (host: string, ...rest: unknown[]) => {
    const callback = rest.at(-1) as (error: unknown, ...found: unknown[]) => void;
    const options = optionsOf(rest.length > 1 ? (rest[0] as LookupOptions | number) : undefined);
    lookup(host, options).then(
      found =>
        process.nextTick(() =>
          options.all ? callback(null, found) : callback(null, found[0]?.address, found[0]?.family),
        ),
      error => process.nextTick(() => callback(error)),
    );
  };
}

const optionsOf = (given: LookupOptions | number | null | undefined): LookupOptions =>
  typeof given === 'number' ? { family: given } : (given ?? {});
