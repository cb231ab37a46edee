import { isIPv6 } from 'node:net';
import { PRIVATE_IPV4, PRIVATE_IPV6 } from '@trawl/contracts';
import type { AllowedNetwork } from './allow-list.js';

/** The range of user ids that the rules apply to, both ends included. */
export interface UidRange {
  first: number;
  last: number;
}

/** Returns the name of the worker's own table; each worker of a machine has its own range of user ids. */
export const tableOf = ({ first }: UidRange): string => `trawl_${first}`;

/**
 * Builds an nft script that creates or replaces the worker's table in one transaction.
 *
 * @param resolvers addresses that runs may reach on port 53, because resolvers are often private
 */
export function nftablesRules(
  users: UidRange,
  allowed: readonly AllowedNetwork[],
  resolvers: readonly string[],
): string {
  const name = tableOf(users);
  const accepted = [
    ...allowed.map(({ network, port }) => `${familyOf(network)} daddr ${network} tcp dport ${port} accept`),
    ...resolvers.map(address => `${familyOf(address)} daddr ${address} meta l4proto { tcp, udp } th dport 53 accept`),
  ];
  // Reject connections, so that they fail at once (EHOSTUNREACH, or EACCES for IPv6). If the rule dropped their
  // packets, they would wait for a timeout.
  const refuse = 'reject with icmpx admin-prohibited';
  // With the priority `mangle`, the rules see a packet before address translation changes the address of a container's
  // resolver.
  return `add table inet ${name}
delete table inet ${name}
table inet ${name} {
  chain output {
    type filter hook output priority mangle; policy accept;
    meta skuid ${users.first}-${users.last} jump runs
  }
  chain runs {
    ${DENY_INCOMING}
    ${accepted.join('\n    ')}
    ip daddr { ${PRIVATE_IPV4.join(', ')} } ${refuse}
    ip6 daddr { ${PRIVATE_IPV6.join(', ')} } ${refuse}
    fib daddr type local ${refuse}
  }
}
`;
}

/**
 * Drops a run's replies to incoming connections. A run could otherwise listen on the machine's address and pose as a
 * service of the machine.
 */
const DENY_INCOMING = 'tcp flags & (syn | ack) == syn | ack drop';

const familyOf = (network: string): 'ip' | 'ip6' => (isIPv6(network.split('/')[0] ?? '') ? 'ip6' : 'ip');
