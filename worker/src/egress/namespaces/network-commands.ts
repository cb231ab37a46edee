import type { NetworkBlock } from './network-block.js';

/** Commands of a shell for the programs that create networks. */
export interface NetworkPrograms {
  ip: string;
  nft: string;
  nsenter: string;
}

const folder = '/run/netns';

/** Quotes a text for the shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the file of a namespace. */
export const namespaceFile = (name: string): string => `${folder}/${name}`;

/** Makes the shell pass these lines to the standard input of a command. */
const withInput = (command: string, lines: string[], end: string): string =>
  `${command} <<'${end}'\n${lines.join('\n')}\n${end}`;

/** Builds the command that replaces rules in a namespace, or on the host if `namespace` is null. */
export const ruleCommand = ({ nft, nsenter }: NetworkPrograms, namespace: string | null, rules: string): string =>
  withInput(
    namespace === null ? `${nft} -f -` : `${nsenter} --net=${namespaceFile(namespace)} ${nft} -f -`,
    [rules],
    'RULES',
  );

/** Builds the command that gives an interface, or with `default` all later ones of a namespace, no IPv6 address. */
const withoutIpv6 = (link: string): string => {
  const folder = `/proc/sys/net/ipv6/conf/${link}`;
  return `[ ! -e ${folder} ] || echo 1 >${folder}/disable_ipv6`;
};

/**
 * Builds the commands for the host's end of a connection. The interface gets no address: a browser on the machine fails
 * its requests with ERR_NETWORK_CHANGED whenever the machine gets or loses an address. A route makes the address local
 * instead.
 */
const hostEnd = (ip: string, link: string, near: string, far: string): string[] => [
  withoutIpv6(link),
  withInput(
    `${ip} -batch -`,
    [`link set ${link} up`, `route add local ${near} dev ${link}`, `route add ${far} dev ${link} scope link`],
    'LINK',
  ),
];

/** Builds the script that connects a new router with the host. Runs reach other machines through the router. */
export function routerScript(programs: NetworkPrograms, block: NetworkBlock): string {
  const { ip } = programs;
  const { name, router, hostAddress, routerAddress, network } = block;
  return [
    withInput(
      `${ip} -batch -`,
      [`netns add ${router}`, `link add ${name} type veth peer name uplink netns ${router}`],
      'HOST',
    ),
    ...hostEnd(ip, name, hostAddress, routerAddress),
    `${ip} route add ${network} via ${routerAddress} dev ${name}`,
    inside(programs, router, [
      'echo 1 >/proc/sys/net/ipv4/ip_forward',
      ...['default', 'uplink'].map(withoutIpv6),
      withInput(
        `${ip} -batch -`,
        [
          'link set lo up',
          `addr add ${routerAddress} peer ${hostAddress} dev uplink`,
          'link set uplink up',
          `route add default via ${hostAddress}`,
        ],
        'ROUTER',
      ),
    ]),
    'grep -q 1 /proc/sys/net/ipv4/ip_forward || echo 1 >/proc/sys/net/ipv4/ip_forward',
  ].join('\n');
}

/**
 * Builds the script that connects new namespaces of slots with the router.
 *
 * @param rules rules of each slot; null if it needs none
 */
export function slotsScript(
  programs: NetworkPrograms,
  block: NetworkBlock,
  slots: readonly number[],
  rules: string | null,
): string {
  const { ip } = programs;
  const { router, routerAddress } = block;
  return [
    withInput(
      `${ip} -batch -`,
      slots.flatMap(slot => [
        `netns add ${block.slot(slot)}`,
        `link add s${slot} netns ${router} type veth peer name eth0 netns ${block.slot(slot)}`,
      ]),
      'SLOTS',
    ),
    withInput(
      `${ip} -n ${router} -batch -`,
      slots.flatMap(slot => [
        `addr add ${routerAddress} peer ${block.slotAddress(slot)} dev s${slot}`,
        `link set s${slot} up`,
      ]),
      'SLOTS',
    ),
    ...slots.map(slot =>
      inside(programs, block.slot(slot), [
        // Without these, the next run in the slot would see in /proc/net to whom the last one was connected.
        'echo 0 >/proc/sys/net/ipv4/tcp_max_tw_buckets',
        // The rules judge IPv4 only, and Node 24 would wait for an answer from a link-local address.
        withoutIpv6('eth0'),
        // Let packets to a loopback address leave for the relay.
        'echo 1 >/proc/sys/net/ipv4/conf/eth0/route_localnet',
        withInput(
          `${ip} -batch -`,
          [
            'link set lo up',
            `addr add ${block.slotAddress(slot)} peer ${routerAddress} dev eth0`,
            'link set eth0 up',
            `route add default via ${routerAddress}`,
          ],
          'SLOT',
        ),
        ...(rules === null ? [] : [withInput(`${programs.nft} -f -`, [rules], 'RULES')]),
      ]),
    ),
  ].join('\n');
}

/** Builds the script that adds a namespace beside the router. A probe connects to it, as to another machine. */
export function probeScript(programs: NetworkPrograms, { probe, probeGateway, probeAddress }: NetworkBlock): string {
  const { ip } = programs;
  return [
    withInput(
      `${ip} -batch -`,
      [`netns add ${probe}`, `link add ${probe} type veth peer name eth0 netns ${probe}`],
      'PROBE',
    ),
    ...hostEnd(ip, probe, probeGateway, probeAddress),
    withInput(
      `${ip} -n ${probe} -batch -`,
      [
        'link set lo up',
        `addr add ${probeAddress} peer ${probeGateway} dev eth0`,
        'link set eth0 up',
        `route add default via ${probeGateway}`,
      ],
      'PROBE',
    ),
  ].join('\n');
}

/** Builds the script that removes all networks of a block, also after a worker was killed. Ignores what is missing. */
export const removalScript = ({ ip, nft }: NetworkPrograms, { name, probe }: NetworkBlock): string =>
  [
    `${nft} delete table inet ${name} 2>/dev/null`,
    ...[name, probe].map(link => `${ip} link delete ${link} 2>/dev/null`),
    `${ip} netns list | sed -n 's/^\\(${name}-[a-z0-9]*\\).*/netns delete \\1/p' | ${ip} -force -batch -`,
  ].join('\n');

/** Builds the script that prints the numbers of all blocks of which a network is left. */
export const leftBlocksScript = ({ ip }: NetworkPrograms): string =>
  `${ip} netns list | sed -n 's/^trawl\\([0-9]*\\)-.*/\\1/p' | sort -u`;

const inside = ({ nsenter }: NetworkPrograms, namespace: string, lines: string[]): string =>
  withInput(`${nsenter} --net=${namespaceFile(namespace)} /bin/sh -e`, lines, 'INSIDE');
