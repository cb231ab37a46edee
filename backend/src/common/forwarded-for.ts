import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/**
 * Express middleware: leaves of `X-Forwarded-For` what can be believed. Some proxies write ports, with which each connection
 * would be a visitor of its own; and left of what is no address stands what nobody can have checked.
 */
export function cleanForwardedFor(request: Request, _response: Response, next: NextFunction): void {
  const sent = request.headers['x-forwarded-for'];
  if (sent !== undefined) request.headers['x-forwarded-for'] = knownHops(String(sent)).join(', ');
  next();
}

function knownHops(header: string): string[] {
  const hops = header.split(',').map(hop => withoutPort(hop.trim()));
  return hops.slice(hops.findLastIndex(hop => isIP(hop) === 0) + 1);
}

/** Of `203.0.113.7:49152`, `[2001:db8::7]:49152` and `[2001:db8::7]`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
