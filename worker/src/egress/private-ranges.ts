import type { BlockList } from 'node:net';
import { builtin } from '../builtin.js';

/**
 * Networks that no run reaches unless the worker's owner allows it: what IANA's registries of special addresses do not
 * call globally reachable, in CIDR notation. The only table of them, for every way of holding runs to it.
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

/** Of IPv6 only 2000::/3 is given out. What stands for an address of IPv4 (mapped, NAT64, 6to4, Teredo) is a way around the table above. */
export const PRIVATE_IPV6 = [
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
] as const;

let lists: Record<'ipv4' | 'ipv6', BlockList> | undefined;

/** Whether an address of either family is in one of these networks; true also for what is no address. */
export function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%');
  const family = builtin('node:net').isIP(plain);
  // Families apart: one list for both would call every address of IPv4 private, as it is one of `::/3` when mapped.
  lists ??= { ipv4: listOf(PRIVATE_IPV4, 'ipv4'), ipv6: listOf(PRIVATE_IPV6, 'ipv6') };
  if (family === 4) return lists.ipv4.check(plain, 'ipv4');
  return family !== 6 || lists.ipv6.check(plain, 'ipv6');
}

/** `networks` in CIDR notation, all of one family. */
export function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new (builtin('node:net').BlockList)();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
