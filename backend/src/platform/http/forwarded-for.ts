import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/**
 * Express middleware that cleans `X-Forwarded-For`. It removes ports, which some proxies add: they would make each
 * connection look like another client. If an entry is not an IP address, it removes this entry and everything left of
 * it, because no trusted proxy writes such an entry.
 */
export function cleanForwardedFor(request: Request, _response: Response, next: NextFunction): void {
  const sent = request.headers['x-forwarded-for'];
  if (sent !== undefined) request.headers['x-forwarded-for'] = trustworthyHops(String(sent)).join(', ');
  next();
}

export function trustworthyHops(header: string): string[] {
  const hops = header.split(',').map(hop => withoutPort(hop.trim()));
  return hops.slice(hops.findLastIndex(hop => isIP(hop) === 0) + 1);
}

/** Removes a port and brackets: handles `203.0.113.7:49152`, `[2001:db8::7]:49152` and `[2001:db8::7]`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
