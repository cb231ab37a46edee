import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import { DNS_METHODS, type DnsMethod } from '../egress/proxy-protocol.js';
import { askName } from './proxy-client.js';

type Ask = (...args: unknown[]) => Promise<unknown>;
type Methods = Record<string, unknown>;

/** Makes every way of asking for a name ask the proxy whose socket has this path. Servers of a skript's own are not asked. */
export function installProxiedDns(path: string): void {
  const places = [dns.promises, dns.promises.Resolver.prototype] as unknown as Methods[];
  const callbackPlaces = [dns, dns.Resolver.prototype] as unknown as Methods[];
  const install = (name: DnsMethod, ask: Ask) => {
    for (const place of places) if (name in place) place[name] = ask;
    const withCallback = callbackify(ask);
    for (const place of callbackPlaces) if (name in place) place[name] = withCallback;
  };
  for (const name of DNS_METHODS) {
    if (name !== 'lookup') install(name, (host, option) => askName(path, [name, host, option]));
  }
  const lookupLocally = dns.promises.lookup;
  const lookup = async (host: string, options: LookupOptions): Promise<LookupAddress[]> => {
    // In the sandbox itself: no name of another machine.
    if (isIP(host) !== 0 || host === 'localhost') return lookupLocally(host, { ...options, all: true });
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    const found = (await askName(path, ['lookup', host])) as LookupAddress[];
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
