import { gunzipSync } from 'node:zlib';
import { type Evidence, evidenceSchema } from '@trawl/contracts';
import type { PlatformStandIn } from './platform-stand-in.js';

/** Reads what a run saw last; null if the worker has nothing. */
export async function readEvidence(platform: PlatformStandIn, id: string): Promise<Evidence | null> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ; ) {
    const part = await platform.readExchanges({ id, from });
    parts.push(part.gz);
    from += part.gz.length;
    if (part.bytes === 0) return null;
    if (from >= part.bytes) return evidenceSchema.parse(JSON.parse(gunzipSync(Buffer.concat(parts)).toString()));
  }
}
