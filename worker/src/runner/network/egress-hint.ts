import { isOwnAddress, isPrivate } from '@trawl/contracts';
import { builtin } from '../node/builtin.js';

/**
 * Error codes that a connection gets when the egress filter or the sandbox rejects it. A connection can fail with these
 * codes for other reasons too.
 */
const REFUSALS = new Set(['EACCES', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EPERM']);
const MAX_DEPTH = 6;

/**
 * If a connection may have failed because of the egress filter, returns a text that explains this. Returns null for
 * other errors.
 */
export function egressHint(thrown: unknown, depth = 0): string | null {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return null;
  const { code, address, cause, errors } = thrown as Record<string, unknown>;
  const isRefusal = typeof code === 'string' && REFUSALS.has(code);
  // Check that the address is an IP address, because the address of a Unix socket is a path.
  const isAddress = typeof address === 'string' && builtin('node:net').isIP(address) !== 0;
  if (isRefusal && isAddress && isPrivate(address)) {
    return `  ${address} is a loopback, private or otherwise special address: runs reach it only if the worker's owner allows it with TRAWL_EGRESS_ALLOW.`;
  }
  if (isRefusal && isAddress && isOwnAddress(address)) {
    return `  ${address} is an address of the worker's own machine, which runs cannot reach.`;
  }
  for (const inner of [cause, ...(Array.isArray(errors) ? errors.slice(0, MAX_DEPTH) : [])]) {
    const hint = egressHint(inner, depth + 1);
    if (hint !== null) return hint;
  }
  return null;
}
