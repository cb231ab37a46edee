import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisService } from './redis.service.js';

/** Limits tries per key. */
export interface RateWindow {
  /** Counts a try. Returns 0 if the try is allowed, otherwise the number of ms until the next try is allowed. */
  take(key: string): number | Promise<number>;
  /** Takes one try back. */
  refund(key: string): unknown;
  reset(key: string): unknown;
}

/**
 * Counts tries in Redis, together with the other backends. Without Redis, `own` counts the tries of this backend. A key
 * must contain nothing personal.
 */
export class SharedRateWindow implements RateWindow {
  readonly #shared: RateLimiterRedis | undefined;

  constructor(
    private readonly own: RateWindow,
    private readonly redis: RedisService,
    { name, limit, windowMs }: { name: string; limit: number; windowMs: number },
  ) {
    if (redis.client === null) return;
    this.#shared = new RateLimiterRedis({
      storeClient: redis.client,
      keyPrefix: `${redis.prefix}${name}`,
      points: limit,
      duration: windowMs / 1_000,
    });
  }

  async take(key: string): Promise<number> {
    if (!this.#shared || !this.redis.isAvailable) return this.own.take(key);
    try {
      await this.#shared.consume(key);
      return 0;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
      return this.own.take(key);
    }
  }

  async refund(key: string): Promise<void> {
    this.own.refund(key);
    if (this.redis.isAvailable) await this.#shared?.reward(key).catch(() => undefined);
  }

  async reset(key: string): Promise<void> {
    this.own.reset(key);
    if (this.redis.isAvailable) await this.#shared?.delete(key).catch(() => undefined);
  }
}
