import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { Subject } from 'rxjs';
import { v4 as uuidv4 } from 'uuid';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';

/** Triggers of the database send the id of a user here, whenever one of its sessions or keys or itself ends or changes. */
const CHANNEL = 'trawl_callers';
const CONNECT_AGAIN_MS = 1_000;
/** For so long after a check that was answered, everything that had been changed before it is known to have arrived. */
const TRUSTED_MS = 1_000;
const CHECK_MS = 500;
/** A connection that does not answer for longer is made anew. */
const ANSWER_WITHIN_MS = 3_000;

/** Hears of every user whose tokens may be worth something else than before, whichever backend changed it. */
@Injectable()
export class CallerChanges implements OnApplicationBootstrap, OnModuleDestroy {
  /** Ids of users; null when changes may have been missed, of anyone. */
  readonly heard = new Subject<string | null>();
  /** What this backend sends itself: when it arrives, so does everything else. */
  readonly #hello = uuidv4();
  #client?: Client;
  #listening = false;
  /** All that was committed before this moment was heard of, by `performance.now()`. */
  #heardUntil = 0;
  #stopping = false;
  #timer?: NodeJS.Timeout;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether changes of other backends arrive, as of a second ago at most. Only then does what is kept in memory count. */
  get isListening(): boolean {
    return this.#listening && performance.now() - this.#heardUntil < TRUSTED_MS;
  }

  /** A change that this backend made and committed: it counts before the answer goes out. */
  tell(userId: string): void {
    this.heard.next(userId);
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
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    this.#client = client;
    client.on('error', error => this.#connectAgain(client, error));
    client.on('end', () => this.#connectAgain(client));
    client.on('notification', ({ payload = '' }) => {
      if (payload !== this.#hello) this.heard.next(payload);
      else if (this.#client === client) this.#listening = true;
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      const askedAt = performance.now();
      // Something between that shares connections (a pooler) takes LISTEN and delivers nothing: then nothing is kept.
      await client.query('SELECT pg_notify($1, $2)', [CHANNEL, this.#hello]);
      this.#heardUntil = askedAt;
      this.#checkSoon(client);
    } catch (error) {
      this.#connectAgain(client, error);
    }
  }

  #checkSoon(client: Client): void {
    if (this.#stopping || this.#client !== client) return;
    this.#timer = setTimeout(() => {
      const askedAt = performance.now();
      client.query('SELECT 1').then(
        () => {
          this.#heardUntil = askedAt;
          this.#checkSoon(client);
        },
        error => this.#connectAgain(client, error),
      );
    }, CHECK_MS).unref();
  }

  #connectAgain(client: Client, error?: unknown): void {
    if (this.#stopping || this.#client !== client) return;
    this.logger.warn({ err: error }, 'changes of sessions and keys are not heard; each request asks the database');
    clearTimeout(this.#timer);
    this.#client = undefined;
    this.#listening = false;
    this.heard.next(null);
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => void this.#connect(), CONNECT_AGAIN_MS).unref();
  }
}
