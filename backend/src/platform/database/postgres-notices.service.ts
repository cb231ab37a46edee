import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { filter, map, type Observable, Subject } from 'rxjs';
import { BACKEND_ID, CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';

/**
 * Database triggers notify `trawl_callers` with a user's id when the user, a session or an API key
 * changes or ends, `trawl_runs` with the ids of runs that another backend changed, `trawl_notices` with the id of a user
 * who has new notices. A backend notifies `trawl_answers`
 * when a worker has acknowledged an answer to a question of a run, and `trawl_jobs` with its id when it adds a job.
 */
const CHANNELS = ['trawl_callers', 'trawl_runs', 'trawl_answers', 'trawl_jobs', 'trawl_notices'] as const;
/** The backend notifies itself here after LISTEN. When the text arrives, notifications work. */
const HELLO_CHANNEL = 'trawl_hello';
const RECONNECT_DELAY_MS = 1_000;
/** `isListening` is false if the last successful check of the connection is older than this. */
const TRUSTED_MS = 1_000;
const CHECK_INTERVAL_MS = 500;
/** If the database connection does not answer within this time, a new one is opened. */
const ANSWER_TIMEOUT_MS = 3_000;

/** Receives PostgreSQL's notifications over one connection, which it checks and reopens. */
@Injectable()
export class PostgresNotices implements OnApplicationBootstrap, OnModuleDestroy {
  /** A payload is null when notifications of the channel may have been missed. */
  readonly #notices = new Subject<{ channel: string; payload: string | null }>();
  #client?: Client;
  #listening = false;
  /** Notifications of all changes that were committed before this time (of `performance.now()`) have arrived. */
  #completeUntil = 0;
  #checkMs = 0;
  /** Whether notifications may have been missed since the last connection was lost. */
  #hasMissed = false;
  #stopping = false;
  #timer?: NodeJS.Timeout;

  constructor(
    @Inject(BACKEND_ID) private readonly backendId: string,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** True if notifications of changes by other backends arrive, as checked within the last second. */
  get isListening(): boolean {
    return this.#listening && performance.now() - this.#completeUntil < TRUSTED_MS;
  }

  /** Duration of the last check: a notification that was sent before it arrived within this time, in ms. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /**
   * Emits the payloads of a channel, and null when some may have been missed: when the connection is lost, and again when the
   * next one listens.
   */
  on(channel: (typeof CHANNELS)[number]): Observable<string | null> {
    return this.#notices.pipe(
      filter(notice => notice.channel === channel),
      map(({ payload }) => payload),
    );
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
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== HELLO_CHANNEL) this.#notices.next({ channel, payload });
      else if (payload === this.backendId && this.#client === client) this.#listening = true;
    });
    try {
      await client.connect();
      for (const channel of [HELLO_CHANNEL, ...CHANNELS]) await client.query(`LISTEN ${channel}`);
      const askedAt = performance.now();
      await client.query('SELECT pg_notify($1, $2)', [HELLO_CHANNEL, this.backendId]);
      this.#completeUntil = askedAt;
      if (this.#hasMissed) this.#tellMissed();
      this.#hasMissed = false;
      this.#scheduleCheck(client);
    } catch (error) {
      this.#reconnect(client, error);
    }
  }

  #tellMissed(): void {
    for (const channel of CHANNELS) this.#notices.next({ channel, payload: null });
  }

  #scheduleCheck(client: Client): void {
    if (this.#stopping || this.#client !== client) return;
    this.#timer = setTimeout(() => {
      const askedAt = performance.now();
      client.query('SELECT 1').then(
        () => {
          this.#completeUntil = askedAt;
          this.#checkMs = performance.now() - askedAt;
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
      'listener lost; until it reconnects, every request reads its token from the database, and changes by other backends show within a second',
    );
    clearTimeout(this.#timer);
    this.#client = undefined;
    this.#listening = false;
    this.#hasMissed = true;
    this.#tellMissed();
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_DELAY_MS).unref();
  }
}
