import { Injectable } from '@nestjs/common';
import {
  PROXY_COUNTRY,
  PROXY_LIMITS,
  PROXY_POOL_NAME,
  PROXY_POOL_NAME_EXPECTED,
  type ProxyOperation,
  type StorageAnswer,
  type TakenProxies,
} from '@trawl/contracts';
import { z } from 'zod';
import { StorageFailure } from '../../data/storage/mongodb/storage-failures.js';
import { jsonArguments } from '../../data/storage/runs/json-arguments.js';
import { RunCalls } from '../../data/storage/runs/run-calls.js';
import { SecretBox } from '../../platform/common/secret-box.service.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import { ProxyUseRepository, type WantedProxies } from './proxy-use.repository.js';

const count = z.int().min(0);
const { min, max } = PROXY_LIMITS.tiers;
const SCHEMAS = {
  takeProxies: z.strictObject({
    pool: z.string().regex(PROXY_POOL_NAME, `must be ${PROXY_POOL_NAME_EXPECTED}`),
    country: z.string().regex(PROXY_COUNTRY, 'must be two small letters, such as `de`').optional(),
    tier: z.int().min(min).max(max).optional(),
  }),
  reportProxies: z.strictObject({
    totals: z
      .array(
        z.strictObject({
          id: z.uuid(),
          connections: count,
          failures: count,
          bytes_sent: count,
          bytes_received: count,
        }),
      )
      .max(PROXY_LIMITS.reportedAtOnce),
  }),
};
/** Longer arguments are those of no honest run. */
const MAX_BYTES = 512 * 1024;
/** Pools that an error names. */
const NAMED_POOLS = 20;

/** Answers the calls of runs that connect through proxies. */
@Injectable()
export class ProxyCalls {
  readonly #calls: RunCalls;

  constructor(
    private readonly proxies: ProxyUseRepository,
    private readonly box: SecretBox,
    contention: Contention,
  ) {
    this.#calls = new RunCalls('proxy calls', contention);
  }

  /** Executes one call. Never throws: in case of an error, the answer contains a message for the owner of the run. */
  run(ownerId: string, executionId: string, op: ProxyOperation): Promise<StorageAnswer> {
    return this.#calls.answer(ownerId, async () =>
      Buffer.from(JSON.stringify(await this.#execute(ownerId, executionId, op))),
    );
  }

  async #execute(ownerId: string, executionId: string, { method, args }: ProxyOperation): Promise<object> {
    if (method === 'takeProxies') return this.#take(ownerId, jsonArguments(args, SCHEMAS[method], MAX_BYTES));
    const { totals } = jsonArguments(args, SCHEMAS[method], MAX_BYTES);
    return { rest: await this.proxies.report(ownerId, executionId, totals) };
  }

  async #take(ownerId: string, { pool: name, ...wanted }: WantedProxies & { pool: string }): Promise<TakenProxies> {
    const pool = await this.proxies.pool(ownerId, name);
    if (!pool) throw await this.#unknownPool(ownerId, name);
    const found = await this.proxies.take(pool.id, wanted);
    if (found.length === 0) throw await this.#noneFits(pool.id, name, wanted);
    return {
      is_sticky: pool.is_sticky,
      proxies: found.map(({ url_sealed: sealed, ...proxy }) => ({ ...proxy, url: this.box.open(sealed, proxy.id) })),
    };
  }

  async #unknownPool(ownerId: string, name: string): Promise<StorageFailure> {
    const names = await this.proxies.poolNames(ownerId, NAMED_POOLS);
    const known =
      names.length > 0 ? `Your account has ${names.map(known => `"${known}"`).join(', ')}.` : 'Your account has none.';
    return rejected(`Your account has no pool of proxies "${name}". ${known} Add the pool, or choose another.`);
  }

  async #noneFits(poolId: string, name: string, { country, tier }: WantedProxies): Promise<StorageFailure> {
    const countries = await this.proxies.countries(poolId);
    if (countries.length === 0) {
      return rejected(`The pool of proxies "${name}" has no proxy that runs can use. Add proxies to it.`);
    }
    const wanted = [country && `of the country "${country}"`, tier && `of tier ${tier}`].filter(Boolean).join(' and ');
    const known = countries.map(({ country: found, tiers }) => `${found ?? 'no country'} (tier ${tiers.join(', ')})`);
    return rejected(`The pool of proxies "${name}" has no proxy ${wanted}. It has: ${known.join('; ')}.`);
  }
}

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
