import { createHash } from 'node:crypto';
import type { Offer } from '@trawl/contracts';

/**
 * What two runs must have in common for the second to get the process of the first: whose they are, their code and its
 * libraries, their secret, limits and environment. Null for a run that wants a process of its own.
 */
export function warmKey(offer: Offer): string | null {
  if (!offer.warm) return null;
  const { owner_id, bundle, lock, input_secret, limits, environment } = offer;
  const parts = [owner_id, bundle, lock, input_secret, limits.time_ms, limits.output_bytes, environment];
  // A digest, so that no secret stands in memory for longer than its run.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
