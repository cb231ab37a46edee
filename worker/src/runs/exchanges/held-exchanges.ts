import { EXCHANGES_KEPT_MS, type ExchangesPart, type ExchangesRead, LIMITS } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import type { Redaction } from '../../redaction/redaction.js';
import { evidenceOf } from './evidence.js';
import type { RunExchanges } from './run-exchanges.js';

/** Memory for the exchanges of all runs that have ended. At the limit, the oldest are dropped. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum size of a part, so that it fits into a frame with what is around it. */
const PART_BYTES = LIMITS.frameBytes - 4_096;
const NOTHING: ExchangesPart = { bytes: 0, gz: new Uint8Array() };

interface Held {
  exchanges: RunExchanges;
  redaction: Redaction;
  /** The bytes that the platform reads, once it has asked for the first part. */
  gz?: Promise<Buffer>;
}

/** The exchanges of runs that have ended, until the platform has said whether it needs them. */
export class HeldExchanges {
  readonly #runs = new LRUCache<string, Held>({ maxSize: MAX_BYTES, ttlAutopurge: true });

  hold(id: string, exchanges: RunExchanges, redaction: Redaction): void {
    if (exchanges.count > 0) this.#runs.set(id, { exchanges, redaction }, { size: exchanges.bytes });
  }

  /** Call it when the platform has acknowledged the end of the run. */
  finished(id: string, mayRead: boolean): void {
    const held = this.#runs.peek(id);
    if (!held) return;
    if (mayRead) this.#runs.set(id, held, { size: held.exchanges.bytes, ttl: EXCHANGES_KEPT_MS });
    else this.#runs.delete(id);
  }

  async read({ id, from }: ExchangesRead): Promise<ExchangesPart> {
    const held = this.#runs.get(id);
    if (!held) return NOTHING;
    held.gz ??= evidenceOf(held.exchanges, held.redaction);
    const gz = await held.gz;
    if (from + PART_BYTES >= gz.length) this.#runs.delete(id);
    return { bytes: gz.length, gz: gz.subarray(from, from + PART_BYTES) };
  }
}
