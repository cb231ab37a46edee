import type { Logger } from 'pino';
import type { UserBlock } from '../process/user-block.js';
import { type AllowedEntry, AllowList } from './allow-list.js';
import { type ChosenEgress, UNFILTERED } from './egress.js';
import { NamespaceEgress, type NamespaceEgressOptions, type RemovalCommand } from './namespaces/namespace-egress.js';
import { openProxy } from './open-proxy.js';
import { PROXY_SLOTS } from './proxy-egress.js';

export interface EgressOptions {
  /** The user ids that runs get; null when runs have the worker's own user id. */
  users: UserBlock | null;
  /** Whether runs get sandboxes, which can have their own network. */
  sandboxes: boolean;
  /** The worker's own folder. */
  folder: string;
  allowed: AllowedEntry[];
  /** Finds a program; throws an Error that says how to install it. */
  findTool: (name: 'ip' | 'nft' | 'nsenter') => Promise<NamespaceEgressOptions['tools']['ip']>;
  /**
   * Receives the command that removes the networks of runs after this process was killed; null when there are none.
   */
  onRemoval: (removal: RemovalCommand | null) => void;
  log: Logger;
}

/**
 * Chooses and opens an egress filter that works on this machine: namespaces if possible, else the proxy.
 * See docs/decisions/0400-a-network-for-each-slot.md.
 */
export async function chooseEgress(options: EgressOptions): Promise<ChosenEgress> {
  const { users, sandboxes, folder, allowed, findTool, onRemoval, log } = options;
  const allowList = new AllowList(allowed, (name, reason) =>
    log.warn({ name, reason }, 'lookup of a name in TRAWL_EGRESS_ALLOW failed'),
  );
  let problem = 'Network namespaces need root on Linux.';
  if (users) {
    try {
      assertNoIpv6(allowed);
      const [ip, nft, nsenter] = await Promise.all([findTool('ip'), findTool('nft'), findTool('nsenter')]);
      const egress = new NamespaceEgress({
        tools: { ip, nft, nsenter },
        users,
        allowList,
        resolvConf: '/etc/resolv.conf',
        relayScript: new URL('./namespaces/relay-process.js', import.meta.url),
        log,
        onRemoval,
      });
      await egress.open();
      return {
        filter: egress,
        note: 'Each run has its own network (namespaces), and kernel rules (nftables) judge it.',
      };
    } catch (error) {
      problem = String(error);
    }
  }
  if (!sandboxes) {
    return { filter: null, note: `${UNFILTERED} ${problem}` };
  }
  const proxy = await openProxy({ users, folder, slots: PROXY_SLOTS, allowList, log });
  if (proxy.filter) log.info({ namespaces: problem }, 'egress proxy chosen');
  return proxy.filter ? proxy : { filter: null, note: `${proxy.note} ${problem}` };
}

function assertNoIpv6(allowed: AllowedEntry[]): void {
  const entry = allowed.find(one => 'network' in one && one.network.includes(':'));
  if (entry) throw new Error('TRAWL_EGRESS_ALLOW has an IPv6 address, which the networks of runs do not reach.');
}
