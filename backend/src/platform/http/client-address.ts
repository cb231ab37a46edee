import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import proxyAddr from 'proxy-addr';
import { trustworthyHops } from './forwarded-for.js';

const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');

/**
 * Returns the client's IP address. Removes the prefix `::ffff:`, which sockets for both IPv4 and IPv6 add to IPv4
 * addresses.
 */
export const clientAddress = (request: Request): string => withoutPrefix(request.ip ?? '');

/** Returns the client's IP address for a socket, whose request Express has not handled. */
export function socketAddress({ socket, headers }: IncomingMessage, trustedProxies: string[]): string {
  const sent = headers['x-forwarded-for'];
  const forwarded = sent === undefined ? {} : { 'x-forwarded-for': trustworthyHops(String(sent)).join(', ') };
  const request = { socket, headers: forwarded } as unknown as IncomingMessage;
  return withoutPrefix(proxyAddr(request, trustedProxies));
}
