import { EXCHANGES_KEPT_MS, type ExchangesPart, type ExchangesRead, LIMITS, type Offer } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import type { Redaction } from '../../redaction/redaction.js';
import { evidenceOf } from './evidence.js';
import type { RunExchanges } from './run-exchanges.js';

/** Memory for the exchanges of all runs that have ended. At the limit, the oldest are dropped. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The same for the runs of one account, so that the failures of one leave room for those of others. */
const MAX_ACCOUNT_BYTES = MAX_BYTES / 2;
/** Maximum size of a part, so that it fits into a frame with what is around it. */
const PART_BYTES = LIMITS.frameBytes - 4_096;
const NOTHING: ExchangesPart = { bytes: 0, gz: new Uint8Array() };

/** What a run saw: as its process has sent it, then as the platform reads it. */
type Held = { ownerId: string } & ({ exchanges: RunExchanges; redaction: Redaction } | { gz: Buffer });

const sizeOf = (held: Held): number => ('gz' in held ? held.gz.length : held.exchanges.bytes);

/** The exchanges of runs that have ended, until the platform has said whether it needs them. */
export class HeldExchanges {
  readonly #runs = new LRUCache<string, Held>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf, ttlAutopurge: true });
  /** Packing takes several times the memory of what is packed, so one run is packed at a time. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #pack: typeof evidenceOf;

  constructor(pack = evidenceOf) {
    this.#pack = pack;
  }

  hold({ id, owner_id }: Pick<Offer, 'id' | 'owner_id'>, exchanges: RunExchanges, redaction: Redaction): void {
    if (exchanges.count === 0) return;
    this.#makeRoom(owner_id, exchanges.bytes);
    this.#runs.set(id, { ownerId: owner_id, exchanges, redaction });
  }

  /** Drops the oldest runs of an account that would hold more than its share. */
  #makeRoom(ownerId: string, bytes: number): void {
    const own = [...(this.#runs.rentries() as Iterable<[string, Held]>)].filter(([, held]) => held.ownerId === ownerId);
    let over = own.reduce((sum, [, held]) => sum + sizeOf(held), bytes) - MAX_ACCOUNT_BYTES;
    for (const [id, held] of own) {
      if (over <= 0) return;
      over -= sizeOf(held);
      this.#runs.delete(id);
    }
  }

  /** Memory that they take. */
  get bytes(): number {
    return this.#runs.calculatedSize;
  }

  /** Call it when the platform has acknowledged the end of the run. */
  finished(id: string, mayRead: boolean): void {
    const held = this.#runs.peek(id);
    if (!held) return;
    if (mayRead) this.#runs.set(id, held, { ttl: EXCHANGES_KEPT_MS });
    else this.#runs.delete(id);
  }

  async read({ id, from }: ExchangesRead): Promise<ExchangesPart> {
    const gz = await this.#packed(id);
    if (!gz) return NOTHING;
    if (from + PART_BYTES >= gz.length) this.#runs.delete(id);
    return { bytes: gz.length, gz: gz.subarray(from, from + PART_BYTES) };
  }

  #packed(id: string): Promise<Buffer | null> {
    const packing = this.#last.then(async () => {
      // Looked up only now: a run that waits for its turn may give way to others meanwhile.
      const held = this.#runs.get(id);
      if (!held) return null;
      if ('gz' in held) return held.gz;
      const gz = await this.#pack(held.exchanges, held.redaction);
      // Without an end, there is no time until it.
      const ttl = this.#runs.getRemainingTTL(id);
      if (this.#runs.has(id)) this.#runs.set(id, { ownerId: held.ownerId, gz }, Number.isFinite(ttl) ? { ttl } : {});
      return gz;
    });
    this.#last = packing.catch(() => {});
    return packing;
  }
}
