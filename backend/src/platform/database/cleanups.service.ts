import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';

type Period = 'hourly' | 'nightly';

interface Cleanup {
  name: string;
  period: Period;
  run: () => Promise<unknown>;
  ofFiles: boolean;
}

/** Key of a PostgreSQL advisory lock: one backend at a time cleans up. */
const LOCK = 7_241_005;
/** Nightly cleanups follow the hourly ones of this hour, in the time zone of the backend. */
const NIGHT_HOUR = 3;

/**
 * Deletes what is too old, each hour or each night. Of several backends, one cleans up the database; each cleans up its
 * own files. One cleanup runs after the other, so that together they use one connection.
 */
@Injectable()
export class Cleanups {
  readonly #cleanups: Cleanup[] = [];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Adds a cleanup. Call it in `onModuleInit`. Errors are logged.
   * @param options.ofFiles whether it cleans up files of this backend, so that every backend must do it.
   */
  add(name: string, period: Period, run: () => Promise<unknown>, { ofFiles = false } = {}): void {
    this.#cleanups.push({ name, period, run, ofFiles });
  }

  @Cron('23 * * * *')
  async onceAnHour(): Promise<void> {
    const isNight = new Date().getHours() === NIGHT_HOUR;
    await this.hourly();
    if (isNight) await this.nightly();
  }

  async hourly(): Promise<void> {
    await this.#run('hourly');
  }

  async nightly(): Promise<void> {
    await this.#run('nightly');
  }

  async #run(period: Period): Promise<void> {
    const cleanups = this.#cleanups.filter(cleanup => cleanup.period === period);
    for (const cleanup of cleanups.filter(({ ofFiles }) => ofFiles)) await this.#try(cleanup);
    try {
      await this.dataSource.transaction(async transaction => {
        const [lock] = await transaction.query<{ isMine: boolean }[]>(
          'SELECT pg_try_advisory_xact_lock($1) AS "isMine"',
          [LOCK],
        );
        if (!lock?.isMine) return;
        for (const cleanup of cleanups.filter(({ ofFiles }) => !ofFiles)) await this.#try(cleanup);
      });
    } catch (error) {
      this.logger.error({ err: error, period }, 'cleanups failed; will retry at the next time');
    }
  }

  async #try({ name, run }: Cleanup): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.logger.error({ err: error, cleanup: name }, 'cleanup failed; will retry at its next time');
    }
  }
}
