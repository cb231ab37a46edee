// @ts-check
import { networkInterfaces } from 'node:os';
import { httpAddress } from './settings.mjs';

/**
 * Returns the addresses at which other machines can reach the platform. There are none if it listens only on loopback.
 * @param {{ host: string, port: number }} settings
 * @param {ReturnType<typeof networkInterfaces>} [interfaces] of this machine
 * @returns {string[]}
 */
export function openTo({ host, port }, interfaces = networkInterfaces()) {
  if (/^(localhost|127\.[\d.]+|::1)$/.test(host)) return [];
  if (host !== '0.0.0.0' && host !== '::') return [httpAddress(host, port)];
  return Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, family, address }) => {
      // Leave out link-local addresses: their URL needs the name of the network interface, which browsers do not
      // accept.
      return !internal && !address.startsWith('fe80:') && (family === 'IPv4' || host === '::');
    })
    .map(({ address }) => httpAddress(address, port));
}
