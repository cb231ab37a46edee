import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { Subject } from 'rxjs';
import { v4 as uuidv4 } from 'uuid';
import { CONFIG, type Config } from '../../common/config.js';
import { LOGGER } from '../../common/logger.js';

/** Database triggers notify this channel with a user's id when the user, a session or an API key changes or ends. */
const CHANNEL = 'trawl_callers';
const RECONNECT_DELAY_MS = 1_000;
/**
 * The last successful check of the database connection must not be older than this; otherwise cached tokens must not be
 * used.
 */
const TRUSTED_MS = 1_000;
const CHECK_INTERVAL_MS = 500;
/** If the database connection does not answer within this time, a new one is opened. */
const ANSWER_TIMEOUT_MS = 3_000;

/** Announces users whose tokens may have changed or ended, no matter which backend process made the change. */
@Injectable()
export class TokenChanges implements OnApplicationBootstrap, OnModuleDestroy {
  /** Emits the user's id, or null when changes of any user may have been missed. */
  readonly changed = new Subject<string | null>();
  /** The backend sends this text to itself after LISTEN. When the text arrives, notifications work. */
  readonly #hello = uuidv4();
  #client?: Client;
  #listening = false;
  /** Notifications of all changes that were committed before this time (of `performance.now()`) have arrived. */
  #completeUntil = 0;
  #stopping = false;
  #timer?: NodeJS.Timeout;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * True if notifications of changes by other backends arrive, as checked within the last second. Cached tokens may be
   * used only while this is true.
   */
  get isListening(): boolean {
    return this.#listening && performance.now() - this.#completeUntil < TRUSTED_MS;
  }

  /**
   * Announces a change that this backend process committed. The change thus takes effect in this process before the
   * response is sent.
   */
  publish(userId: string): void {
    this.changed.next(userId);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#connect();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    this.#listening = false;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionString: this.config.postgresUrl,
      application_name: 'trawl-backend-listener',
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    this.#client = client;
    client.on('error', error => this.#reconnect(client, error));
    client.on('end', () => this.#reconnect(client));
    client.on('notification', ({ payload = '' }) => {
      if (payload !== this.#hello) this.changed.next(payload);
      else if (this.#client === client) this.#listening = true;
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      const askedAt = performance.now();
      // A connection pooler may accept LISTEN but deliver no notifications. Then `#hello` never arrives, and tokens are
      // not cached.
      await client.query('SELECT pg_notify($1, $2)', [CHANNEL, this.#hello]);
      this.#completeUntil = askedAt;
      this.#scheduleCheck(client);
    } catch (error) {
      this.#reconnect(client, error);
    }
  }

  #scheduleCheck(client: Client): void {
    if (this.#stopping || this.#client !== client) return;
    this.#timer = setTimeout(() => {
      const askedAt = performance.now();
      client.query('SELECT 1').then(
        () => {
          this.#completeUntil = askedAt;
          this.#scheduleCheck(client);
        },
        error => this.#reconnect(client, error),
      );
    }, CHECK_INTERVAL_MS).unref();
  }

  #reconnect(client: Client, error?: unknown): void {
    if (this.#stopping || this.#client !== client) return;
    this.logger.warn(
      { err: error },
      'token change listener lost; every request reads the database until it reconnects',
    );
    clearTimeout(this.#timer);
    this.#client = undefined;
    this.#listening = false;
    this.changed.next(null);
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_DELAY_MS).unref();
  }
}
