import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { EchoLive } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import { Subject } from 'rxjs';
import { BACKEND_ID } from '../../platform/common/config.js';
import { RedisService } from '../../platform/redis/redis.service.js';
import { LiveBatch } from './live-batch.js';

/** Backends repeat what they watch, for backends and a Redis that started meanwhile. */
const REPEAT_MS = 5_000;
const WATCH_CHANNEL = 'watch';
/** At most this many watched runs are remembered. */
const MAX_WATCHED = 10_000;
const IDS_PER_MESSAGE = 500;

interface Watching {
  from: string;
  ids: string[];
}
interface Relayed {
  from: string;
  batch: Pick<EchoLive, 'id' | 'from_seq' | 'items'>;
}

const channelOf = (executionId: string): string => `echoes:${executionId}`;

/**
 * Relays live echoes between backends over Redis. Each run has a channel; a backend subscribes to it only while somebody
 * watches the run there. It asks the backend with the run's worker to send echoes, which sends until no backend listens.
 */
@Injectable()
export class LiveRelay implements OnModuleInit {
  /** Runs watched here. */
  readonly #own = new Set<string>();
  /** Runs that viewers of other backends may watch. */
  readonly #elsewhere = new LRUCache<string, true>({ max: MAX_WATCHED });
  /** Batches of runs watched here, whose workers are connected to other backends. */
  readonly batches = new Subject<LiveBatch>();
  /** Emits when other backends begin to watch a run, or have ended that. */
  readonly watched = new Subject<{ id: string; on: boolean }>();

  constructor(
    private readonly redis: RedisService,
    @Inject(BACKEND_ID) private readonly backendId: string,
  ) {}

  onModuleInit(): void {
    if (!this.redis.isConfigured) return;
    this.redis.listen(WATCH_CHANNEL, ({ from, ids }: Watching) => {
      if (from === this.backendId) return;
      for (const id of ids) {
        if (this.#elsewhere.get(id)) continue;
        this.#elsewhere.set(id, true);
        this.watched.next({ id, on: true });
      }
    });
  }

  isWatchedElsewhere(id: string): boolean {
    return this.#elsewhere.has(id);
  }

  /** Call it when the first viewer here begins to watch a run, and when the last one has left. */
  watch(id: string, on: boolean): void {
    if (!this.redis.isConfigured) return;
    if (!on) {
      this.#own.delete(id);
      this.redis.unlisten(channelOf(id));
      return;
    }
    this.#own.add(id);
    this.redis.listen(channelOf(id), ({ from, batch }: Relayed) => {
      if (from !== this.backendId) this.batches.next(LiveBatch.of(batch));
    });
    void this.redis.publish(WATCH_CHANNEL, { from: this.backendId, ids: [id] });
  }

  /** Sends a batch of a worker connected here to the viewers of other backends. */
  async relay(batch: LiveBatch): Promise<void> {
    const id = batch.execution_id;
    if (!this.#elsewhere.has(id)) return;
    const { from_seq, items } = batch;
    const message: Relayed = { from: this.backendId, batch: { id, from_seq, items } };
    const listening = await this.redis.publish(channelOf(id), message);
    if (listening === null || listening > Number(this.#own.has(id))) return;
    this.#elsewhere.delete(id);
    this.watched.next({ id, on: false });
  }

  @Interval(REPEAT_MS)
  repeat(): void {
    const ids = [...this.#own];
    for (let n = 0; n < ids.length; n += IDS_PER_MESSAGE) {
      void this.redis.publish(WATCH_CHANNEL, { from: this.backendId, ids: ids.slice(n, n + IDS_PER_MESSAGE) });
    }
  }
}
