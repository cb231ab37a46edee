import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { SecretBox } from '../common/secret-box.service.js';

const RECONNECT_MS = 1_000;
const ANSWER_MS = 2_000;
const CHECK_MS = 3_000;
/** While this many messages wait to be sent, further ones are dropped. A message has up to about 1 MB. */
const MAX_QUEUED = 64;

/**
 * Messages between backends over Redis. Without `REDIS_URL`, and while Redis is unavailable, nothing is sent and
 * nothing arrives.
 * See docs/decisions/0302-several-backends.md.
 */
@Injectable()
export class RedisService implements OnApplicationShutdown {
  /** Runs commands; null without `REDIS_URL`. */
  readonly client: Redis | null = null;
  readonly #subscriber: Redis | null = null;
  /** Begins the name of every channel and key, so that several platforms can share a Redis. */
  readonly prefix: string;
  readonly #listeners = new Map<string, (message: unknown) => void>();
  #isAway = false;
  #queued = 0;

  constructor(
    secretBox: SecretBox,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // While the secret is rotated, the prefix stays that of backends that know only the previous one.
    const digest = secretBox.digests('redis').at(-1) as Buffer;
    this.prefix = `trawl:${digest.toString('hex').slice(0, 16)}:`;
    if (config.redisUrl === undefined) return;
    const options = {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: ANSWER_MS,
      connectTimeout: ANSWER_MS,
      retryStrategy: () => RECONNECT_MS,
    };
    this.client = new Redis(config.redisUrl, { ...options, connectionName: 'trawl' });
    this.#subscriber = new Redis(config.redisUrl, {
      ...options,
      connectionName: 'trawl-subscriber',
      autoResubscribe: false,
    });
    for (const redis of [this.client, this.#subscriber]) redis.on('error', error => this.#lost(error));
    for (const redis of [this.client, this.#subscriber]) redis.on('close', () => this.#lost());
    this.client.on('ready', () => this.#found());
    this.#subscriber.on('ready', () => {
      this.#found();
      for (const channel of this.#listeners.keys()) this.#subscribe(channel);
    });
    this.#subscriber.on('message', (channel, text) => this.#receive(channel, text));
  }

  /** Whether `REDIS_URL` is set. */
  get isConfigured(): boolean {
    return this.client !== null;
  }

  /** Whether messages arrive. */
  get isAvailable(): boolean {
    return this.client?.status === 'ready' && this.#subscriber?.status === 'ready';
  }

  /** Calls `listener` with each message on a channel. Replaces the channel's listener, if it has one. */
  listen(channel: string, listener: (message: never) => void): void {
    const name = this.prefix + channel;
    const isNew = !this.#listeners.has(name);
    this.#listeners.set(name, listener as (message: unknown) => void);
    if (isNew) this.#subscribe(name);
  }

  unlisten(channel: string): void {
    const name = this.prefix + channel;
    if (!this.#listeners.delete(name)) return;
    this.#subscriber?.unsubscribe(name).catch(() => undefined);
  }

  /** Sends a message. Returns how many backends listen to the channel; null if the message was not sent. */
  async publish(channel: string, message: object): Promise<number | null> {
    if (!this.client || !this.isAvailable || this.#queued >= MAX_QUEUED) return null;
    this.#queued += 1;
    try {
      return await this.client.publish(this.prefix + channel, JSON.stringify(message));
    } catch {
      // The connection's own events log an outage, and messages of live views may be lost.
      return null;
    } finally {
      this.#queued -= 1;
    }
  }

  /**
   * Opens a new connection if Redis does not respond. A connection can stay open although the server hangs or the network
   * fails. Asks twice, because a reply may have arrived while this process was too busy to read it in time.
   */
  @Interval(CHECK_MS)
  async check(): Promise<void> {
    await Promise.all(
      [this.client, this.#subscriber].map(async redis => {
        if (redis?.status !== 'ready' || (await responds(redis)) || (await responds(redis))) return;
        // A connection that is already being opened again would end for good.
        if (redis.status === 'ready') redis.disconnect(true);
      }),
    );
  }

  onApplicationShutdown(): void {
    for (const redis of [this.client, this.#subscriber]) {
      redis?.removeAllListeners('close');
      redis?.disconnect();
    }
  }

  #subscribe(name: string): void {
    // If this fails, the connection is lost, and the next one subscribes to all channels.
    if (this.#subscriber?.status === 'ready') this.#subscriber.subscribe(name).catch(() => undefined);
  }

  #receive(channel: string, text: string): void {
    try {
      this.#listeners.get(channel)?.(JSON.parse(text));
    } catch (error) {
      this.logger.warn({ err: error }, 'handling a message of another backend failed');
    }
  }

  #lost(error?: Error): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.logger.warn(
      { reason: error?.message ?? 'the connection closed' },
      'Redis unavailable: live echoes of other backends are not shown, and each backend counts tries by itself',
    );
  }

  #found(): void {
    if (!this.#isAway || !this.isAvailable) return;
    this.#isAway = false;
    this.logger.info('Redis available again');
  }
}

const responds = (redis: Redis): Promise<boolean> =>
  redis.ping().then(
    () => true,
    () => false,
  );
