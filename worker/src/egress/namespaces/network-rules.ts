import { PRIVATE_IPV4 } from '@trawl/contracts';
import type { AllowedNetwork } from '../allow-list.js';
import type { RelayedTarget } from './relay-messages.js';

/**
 * Maximum number of TCP connections of one run, and of its other exchanges of packets. The kernel keeps an exchange
 * without a connection, such as a name lookup, for 30 s after its last packet.
 */
const MAX_CONNECTIONS = 1_024;
const MAX_OTHER_FLOWS = 2_048;

/**
 * Rejects packets, so that connections fail at once with ECONNREFUSED. If the rule dropped their packets, they would
 * wait for a timeout. The kernel limits how many ICMP messages it sends, so connections get a reset.
 */
const REFUSE = 'jump refuse';
const REFUSE_CHAIN = `chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }`;

/** The private addresses that runs may reach. */
export interface Exceptions {
  allowed: readonly AllowedNetwork[];
  /** IPv4 addresses that runs may reach on port 53, because resolvers are often private. */
  resolvers: readonly string[];
  /** Ports of the relay on the host's address. */
  relayed: readonly RelayedTarget[];
}

interface HostRules extends Exceptions {
  /** Name of the table and of the interface to the router. */
  name: string;
  hostAddress: string;
  /** All addresses of the worker's networks. */
  network: string;
}

/**
 * Builds an nft script for the host. It creates or replaces the worker's table in one transaction: it translates the
 * addresses of runs, and keeps runs from the host. The router's rules alone keep runs from private addresses if another
 * program removes this table.
 */
export const hostRules = (rules: HostRules): string => `add table inet ${rules.name}
delete table inet ${rules.name}
table inet ${rules.name} {
  chain input {
    type filter hook input priority filter; policy accept;
    iifname "${rules.name}" ct state established,related accept
    iifname "${rules.name}" jump exceptions
    iifname "${rules.name}" ${REFUSE}
  }
  chain forward {
    type filter hook forward priority filter; policy accept;
    oifname "${rules.name}" ct state established,related accept
    oifname "${rules.name}" drop
    iifname "${rules.name}" tcp flags syn tcp option maxseg size set rt mtu
    iifname "${rules.name}" ct state established,related accept
    iifname "${rules.name}" jump exceptions
    iifname "${rules.name}" ip daddr { ${PRIVATE_IPV4.join(', ')} } ${REFUSE}
  }
  ${REFUSE_CHAIN}
  chain exceptions {
    ${exceptionRules(rules, rules.hostAddress).join('\n    ')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${rules.network} masquerade
  }
}
`;

interface RouterRules extends Exceptions {
  hostAddress: string;
  /** Public addresses of the host. */
  ownAddresses: readonly string[];
}

/**
 * Builds an nft script for the router, the namespace between the slots and the host. No other program changes the rules
 * there. They judge where runs connect to, limit the connections of each, and keep runs from each other.
 */
export const routerRules = (rules: RouterRules): string => `add table inet trawl
delete table inet trawl
table inet trawl {
  set connections { type ipv4_addr; size 1024; flags dynamic; }
  set others { type ipv4_addr; size 1024; flags dynamic; }
  ${REFUSE_CHAIN}
  chain input {
    type filter hook input priority filter; policy drop;
    ${REFUSE}
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    ct state != new drop
    iifname "uplink" drop
    meta l4proto tcp add @connections { ip saddr ct count over ${MAX_CONNECTIONS} } ${REFUSE}
    meta l4proto != tcp add @others { ip saddr ct count over ${MAX_OTHER_FLOWS} } ${REFUSE}
    ${exceptionRules(rules, rules.hostAddress).join('\n    ')}
    ip daddr { ${[...PRIVATE_IPV4, ...rules.ownAddresses].join(', ')} } ${REFUSE}
    oifname "uplink" accept
    ${REFUSE}
  }
}
`;

/**
 * Builds an nft script for the namespace of a slot. It sends packets for the loopback addresses of relayed services to
 * the relay on the host.
 */
export const slotRules = (hostAddress: string, relayed: readonly RelayedTarget[]): string => `add table ip trawl
delete table ip trawl
table ip trawl {
  chain output {
    type nat hook output priority -100; policy accept;
    ${relayed.map(({ protocol, address, port, at }) => `ip daddr ${address} ${protocol} dport ${port} dnat to ${hostAddress}:${at}`).join('\n    ')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr 127.0.0.0/8 oifname "eth0" masquerade
  }
}
`;

const exceptionRules = ({ allowed, resolvers, relayed }: Exceptions, hostAddress: string): string[] => [
  ...allowed.map(({ network, port }) => `ip daddr ${network} tcp dport ${port} accept`),
  ...resolvers.map(address => `ip daddr ${address} meta l4proto { tcp, udp } th dport 53 accept`),
  ...relayed.map(({ protocol, at }) => `ip daddr ${hostAddress} ${protocol} dport ${at} accept`),
];
