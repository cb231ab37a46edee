// @ts-check
import { networkInterfaces } from 'node:os';
import { httpAddress } from './settings.mjs';

/**
 * Where other machines reach the platform: nowhere while it listens on a loopback address only.
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
      // A link-local address means nothing without the name of the interface, which browsers do not take.
      return !internal && !address.startsWith('fe80:') && (family === 'IPv4' || host === '::');
    })
    .map(({ address }) => httpAddress(address, port));
}
