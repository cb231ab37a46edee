import { Injectable, type OnModuleInit } from '@nestjs/common';
import { countText, type DomainSlots, POLITE_LIMITS, type PoliteOperation, type StorageAnswer } from '@trawl/contracts';
import { z } from 'zod';
import { StorageFailure } from '../../data/storage/mongodb/storage-failures.js';
import { jsonArguments } from '../../data/storage/runs/json-arguments.js';
import { RunCalls } from '../../data/storage/runs/run-calls.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { PoliteDomainsRepository, type WantedSlots } from './polite-domains.repository.js';

const domain = z
  .string()
  .regex(/^[^\s/\0]+$/)
  .max(POLITE_LIMITS.domainChars);
const count = z.int().min(0).max(10_000);
const SCHEMAS = {
  reserveSlots: z.strictObject({
    domains: z
      .array(z.tuple([domain, count, z.boolean(), count.optional()]))
      .min(1)
      .max(POLITE_LIMITS.domainsAtOnce),
  }),
  closeDomain: z.strictObject({ domain, retry_after_ms: z.number().min(0).nullable() }),
  setCrawlDelay: z.strictObject({ domain, crawl_delay_ms: z.number().min(0) }),
};
/** Longer arguments are those of no honest run. */
const MAX_BYTES = 64 * 1024;

/** Answers the calls of polite runs: reserves slots of domains, closes domains, and keeps their crawl delays. */
@Injectable()
export class PoliteCalls implements OnModuleInit {
  readonly #calls: RunCalls;
  /** For each account: domains that were new since this backend last deleted its idle ones. */
  readonly #added = new Map<string, number>();

  constructor(
    private readonly domains: PoliteDomainsRepository,
    private readonly cleanups: Cleanups,
    contention: Contention,
  ) {
    this.#calls = new RunCalls('calls of polite runs', contention);
  }

  onModuleInit(): void {
    this.cleanups.add('idle domains', 'hourly', async () => {
      this.#added.clear();
      await this.domains.sweepAll();
    });
  }

  /** Executes one call. Never throws: in case of an error, the answer contains a message for the owner of the run. */
  run(ownerId: string, executionId: string, op: PoliteOperation): Promise<StorageAnswer> {
    return this.#calls.answer(ownerId, async () =>
      Buffer.from(JSON.stringify(await this.#execute(ownerId, executionId, op))),
    );
  }

  async #execute(ownerId: string, executionId: string, op: PoliteOperation): Promise<object> {
    if (op.method === 'reserveSlots') {
      const { domains } = jsonArguments(op.args, SCHEMAS[op.method], MAX_BYTES);
      return { slots: await this.#reserve(ownerId, executionId, domains) };
    }
    if (op.method === 'setCrawlDelay') {
      const { domain: name, crawl_delay_ms } = jsonArguments(op.args, SCHEMAS[op.method], MAX_BYTES);
      await this.domains.setCrawlDelay(ownerId, name, crawl_delay_ms);
      return {};
    }
    const { domain: name, retry_after_ms } = jsonArguments(op.args, SCHEMAS[op.method], MAX_BYTES);
    await this.#makeRoom(ownerId, 1);
    return { closed_ms: await this.domains.close(ownerId, name, retry_after_ms) };
  }

  async #reserve(ownerId: string, executionId: string, wanted: WantedSlots): Promise<DomainSlots[]> {
    await this.#makeRoom(ownerId, 0);
    const slots = await this.domains.reserve(ownerId, executionId, wanted);
    const added = slots.filter(({ is_new }) => is_new).length;
    if (added > 0) this.#added.set(ownerId, (this.#added.get(ownerId) ?? 0) + added);
    return slots.map(({ is_new: _, ...slot }) => slot);
  }

  /** Keeps the table small: a run may send requests to millions of domains. */
  async #makeRoom(ownerId: string, more: number): Promise<void> {
    const added = (this.#added.get(ownerId) ?? 0) + more;
    if (more > 0) this.#added.set(ownerId, added);
    if (added < POLITE_LIMITS.domains / 2) return;
    const left = await this.domains.sweep(ownerId);
    if (left < POLITE_LIMITS.domains) this.#added.set(ownerId, 0);
    else {
      const limit = countText(POLITE_LIMITS.domains, 'domain');
      throw new StorageFailure(
        'storage_full',
        `Your runs are busy with ${limit}, which is the limit. Try again in an hour.`,
      );
    }
  }
}
