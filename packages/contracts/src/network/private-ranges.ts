import type { BlockList } from 'node:net';

/**
 * Private networks in CIDR notation: those that IANA's registries of special-purpose addresses do not mark as globally
 * reachable. Runs cannot reach them unless the worker's owner allows it, and the backend sends no webhook to them
 * unless its operator allows it. All filters use this table.
 */
export const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
] as const;

/**
 * The same for IPv6. IANA assigns addresses only from 2000::/3, so everything else is in this table. It also contains
 * addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo), because they would bypass the table above.
 */
export const PRIVATE_IPV6 = [
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
] as const;

/** Loads a module when it is first needed. The runner contains this file too, and most runs never need it. */
const net = () => process.getBuiltinModule('node:net');
const os = () => process.getBuiltinModule('node:os');

let lists: Record<'ipv4' | 'ipv6', BlockList> | undefined;

/** Returns whether an address is in one of these networks. Also returns true for a text that is not an IP address. */
export function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%');
  const family = net().isIP(plain);
  // One list for each family: a BlockList maps IPv4 addresses into `::/3`, so a common list would match all of them.
  lists ??= { ipv4: networkList(PRIVATE_IPV4, 'ipv4'), ipv6: networkList(PRIVATE_IPV6, 'ipv6') };
  if (family === 4) return lists.ipv4.check(plain, 'ipv4');
  return family !== 6 || lists.ipv6.check(plain, 'ipv6');
}

/**
 * Returns whether an IP address belongs to this machine. A machine with a public address reaches its own services by
 * it, past its firewall.
 */
export function isOwnAddress(address: string): boolean {
  // A BlockList, because an IPv6 address can be written in many ways and a comparison of texts would miss some.
  const own = new (net().BlockList)();
  for (const list of Object.values(os().networkInterfaces())) {
    for (const { address: one } of list ?? []) own.addAddress(one, familyOf(one));
  }
  return own.check(address, familyOf(address));
}

const familyOf = (address: string) => (net().isIPv6(address) ? 'ipv6' : 'ipv4');

/** Builds a list from networks of one family in CIDR notation. */
export function networkList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new (net().BlockList)();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
