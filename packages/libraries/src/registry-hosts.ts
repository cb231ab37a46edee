import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, getAgent } from '@npmcli/agent';
import { isOwnAddress, isPrivate } from '@trawl/contracts/private-ranges';

/** The registry redirects to an address that only this machine or its network reaches. */
class PrivateRedirect extends Error {
  readonly code = 'EPRIVATEREDIRECT';

  constructor() {
    super('The npm registry redirects to another host in a private network.');
  }
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Returns a function that chooses the agent of each request of npm, also of each redirect. The registry itself may be
 * anywhere, because the operator chose it. Elsewhere only public addresses are allowed: many registries redirect to the
 * storage that has their archives. Without `registry`, npm asks its default registry, which is public.
 *
 * See docs/decisions/0500-npm-asks-the-registry-only.md. Through a proxy, the function refuses private addresses but no names, because the proxy looks them up.
 */
export function agentFor(registry: string | null, timeout: number): (url: URL) => Agent {
  const own = registry === null ? null : new URL(registry);
  const elsewhere = new Agent({ timeout, dns: { lookup: publicLookup, hints: 0 } });
  return url => {
    const agent = getAgent(url.href, { timeout });
    // `http:` may redirect to `https:` of the same host.
    if (url.hostname === own?.hostname && (url.port === own.port || url.port === '')) return agent;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && isForbidden(host)) throw new PrivateRedirect();
    return agent.proxy.url ? agent : elsewhere;
  };
}

const isForbidden = (address: string): boolean => isPrivate(address) || isOwnAddress(address);

/** Looks a name up for a connection that uses exactly this answer, so the name cannot change its address afterwards. */
function publicLookup(host: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    if (addresses.some(({ address }) => isForbidden(address))) return callback(new PrivateRedirect(), []);
    const [first] = addresses;
    if (options.all || !first) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
}
