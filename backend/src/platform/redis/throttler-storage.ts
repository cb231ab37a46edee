import { type ThrottlerStorage, ThrottlerStorageService } from '@nestjs/throttler';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisService } from './redis.service.js';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Counts the calls of routes with a `ThrottlerGuard` in Redis; without Redis, in this process. */
export class SharedThrottlerStorage extends ThrottlerStorageService {
  /** By limit and duration. */
  readonly #limiters = new Map<string, RateLimiterRedis>();

  constructor(private readonly redis: RedisService) {
    super();
  }

  override async increment(
    key: string,
    ttlMs: number,
    limit: number,
    blockMs: number,
    throttlerName: string,
  ): Promise<Count> {
    const { client, isAvailable } = this.redis;
    if (client === null || !isAvailable) return super.increment(key, ttlMs, limit, blockMs, throttlerName);
    const name = `calls ${limit} ${ttlMs}`;
    const limiter =
      this.#limiters.get(name) ??
      new RateLimiterRedis({
        storeClient: client,
        keyPrefix: `${this.redis.prefix}${name}`,
        points: limit,
        duration: ttlMs / 1_000,
      });
    this.#limiters.set(name, limiter);
    try {
      // The key is a hash of the route and the client's address.
      return countOf(await limiter.consume(key), false);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return countOf(refusal, true);
      return super.increment(key, ttlMs, limit, blockMs, throttlerName);
    }
  }
}

function countOf({ consumedPoints, msBeforeNext }: RateLimiterRes, isBlocked: boolean): Count {
  const seconds = Math.ceil(msBeforeNext / 1_000);
  return { totalHits: consumedPoints, timeToExpire: seconds, isBlocked, timeToBlockExpire: isBlocked ? seconds : 0 };
}
