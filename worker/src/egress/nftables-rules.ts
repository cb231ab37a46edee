import { isIPv6 } from 'node:net';
import type { AllowedNetwork } from './allow-list.js';
import { PRIVATE_IPV4, PRIVATE_IPV6 } from './private-ranges.js';

/** The user ids that the rules are for, both included. */
export interface Users {
  first: number;
  last: number;
}

/** One table of each worker, so that no worker touches another's. */
export const tableOf = ({ first }: Users): string => `trawl_${first}`;

/**
 * Rules that put the table into force, whatever of it is there, in one transaction.
 *
 * @param resolvers addresses that answer on port 53, although they are often private
 */
export function nftablesRules(users: Users, allowed: readonly AllowedNetwork[], resolvers: readonly string[]): string {
  const name = tableOf(users);
  const accepted = [
    ...allowed.map(({ network, port }) => `${familyOf(network)} daddr ${network} tcp dport ${port} accept`),
    ...resolvers.map(address => `${familyOf(address)} daddr ${address} meta l4proto { tcp, udp } th dport 53 accept`),
  ];
  // A refusal is told at once, as EHOSTUNREACH, or EACCES for IPv6: what is only dropped is waited for.
  const refuse = 'reject with icmpx admin-prohibited';
  // Before the rules that translate addresses: a container's resolver is another address behind them.
  return `add table inet ${name}
delete table inet ${name}
table inet ${name} {
  chain output {
    type filter hook output priority mangle; policy accept;
    meta skuid ${users.first}-${users.last} jump runs
  }
  chain runs {
    ${NOTHING_COMES_IN}
    ${accepted.join('\n    ')}
    ip daddr { ${PRIVATE_IPV4.join(', ')} } ${refuse}
    ip6 daddr { ${PRIVATE_IPV6.join(', ')} } ${refuse}
    fib daddr type local ${refuse}
  }
}
`;
}

/** The answer to who wants to connect to a run: what it listens on is the machine's, which others could take for a service of it. */
const NOTHING_COMES_IN = 'tcp flags & (syn | ack) == syn | ack drop';

const familyOf = (network: string): 'ip' | 'ip6' => (isIPv6(network.split('/')[0] ?? '') ? 'ip6' : 'ip');
