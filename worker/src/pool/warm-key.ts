import { createHash } from 'node:crypto';
import type { Offer } from '@trawl/contracts';

/**
 * Returns a key that is equal for runs that may share a warm process: runs with the same owner, code, libraries,
 * secret, limits, environment and proxies. Returns null for a run that needs a process of its own.
 */
export function warmKey(offer: Offer): string | null {
  if (!offer.warm) return null;
  const { owner_id, bundle, lock, input_secret, limits, environment, proxy } = offer;
  const parts = [owner_id, bundle, lock, input_secret, limits.time_ms, limits.output_bytes, environment, proxy];
  // Use a digest as the key, so that the secret does not stay in memory after the run.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
