import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { BACKEND_ID } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { SecretBox } from '../common/secret-box.service.js';

const BEAT_MS = 5_000;

/**
 * Registers this backend in the table `backends` while it runs. A row that was not renewed for 15 s does not count; the
 * SQL function `other_backends` decides that, and the trigger on `live_runs` sends nothing if there are no others.
 */
@Injectable()
export class Backends implements OnModuleInit, OnModuleDestroy {
  readonly #outages: OutageLog;
  #hasOthers = false;
  #isStopping = false;
  #registration: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BACKEND_ID) private readonly id: string,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly secretBox: SecretBox,
  ) {
    this.#outages = new OutageLog(logger, 'registering this backend failed; retrying every 5 s');
  }

  /** True if other backends used this database a few seconds ago. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  async onModuleInit(): Promise<void> {
    await this.#register();
  }

  async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    // Otherwise it could add the row again, and a restore would find a running backend.
    await this.#registration.catch(() => undefined);
    await this.dataSource.query('DELETE FROM backends WHERE id = $1', [this.id]).catch(() => undefined);
  }

  @Interval(BEAT_MS)
  async beat(): Promise<void> {
    if (this.#isStopping) return;
    this.#registration = this.#register();
    try {
      await this.#registration;
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Uses the secret that the database names, and records it at once, because the rotation waits for it. */
  async #followRotation(secret: Buffer): Promise<void> {
    if (this.secretBox.fingerprints[0]?.equals(secret) || !this.secretBox.use(secret)) return;
    this.logger.info('using the new TRAWL_SECRET from now on');
    await this.dataSource.query('UPDATE backends SET secrets = $2 WHERE id = $1', [
      this.id,
      this.secretBox.fingerprints,
    ]);
  }

  async #register(): Promise<void> {
    const [row] = await this.dataSource.query<{ has_others: boolean; secret: Buffer }[]>(
      `WITH gone AS (DELETE FROM backends WHERE seen_at < now() - interval '1 hour'),
       own AS (
         INSERT INTO backends (id, seen_at, secrets) VALUES ($1, now(), $2)
         ON CONFLICT (id) DO UPDATE SET seen_at = now(), secrets = $2)
       SELECT other_backends($1) AS has_others, (SELECT digest FROM platform_secret) AS secret`,
      [this.id, this.secretBox.fingerprints],
    );
    this.#hasOthers = row?.has_others ?? false;
    if (row) await this.#followRotation(row.secret);
  }
}
