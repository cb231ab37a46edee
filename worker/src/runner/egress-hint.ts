import { builtin } from '../builtin.js';
import { isPrivate } from '../egress/private-ranges.js';

/** How a connection fails that the worker's rules or its sandbox refuse; it fails so for other reasons too. */
const REFUSALS = new Set(['EACCES', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EPERM']);
const MAX_DEPTH = 6;

/** A line on what may be the matter with a connection that failed, for who does not know of the worker; null otherwise. */
export function egressHint(thrown: unknown, depth = 0): string | null {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return null;
  const { code, address, cause, errors } = thrown as Record<string, unknown>;
  const isRefusal = typeof code === 'string' && REFUSALS.has(code);
  // A socket in a folder has its path as address.
  if (isRefusal && typeof address === 'string' && builtin('node:net').isIP(address) !== 0 && isPrivate(address)) {
    return `  ${address} is a loopback, private or otherwise special address: a run reaches it only if the worker's owner allows it with TRAWL_EGRESS_ALLOW.`;
  }
  for (const inner of [cause, ...(Array.isArray(errors) ? errors.slice(0, MAX_DEPTH) : [])]) {
    const hint = egressHint(inner, depth + 1);
    if (hint !== null) return hint;
  }
  return null;
}
