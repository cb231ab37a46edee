import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { DueWork } from '../database/due-work.service.js';
import { CURRENT_MAINTENANCE } from './in-maintenance.js';
import type { MaintenanceDto, StartMaintenanceDto } from './maintenance.dto.js';

const POLL_MS = 1_000;

interface Row {
  message: string;
  until: Date | null;
  started_at: Date;
}

/**
 * The maintenance of the platform. While it lasts, schedules do not fire and workers get no new runs. Starts are
 * accepted and wait. Live runs continue.
 */
@Injectable()
export class MaintenanceService implements OnModuleInit, OnApplicationBootstrap {
  readonly #outages: OutageLog;
  #current: MaintenanceDto | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'failed to read the maintenance; retrying every second');
  }

  /** The maintenance in effect. A change by another backend shows after a second. */
  get current(): MaintenanceDto | null {
    return this.#current;
  }

  onModuleInit(): void {
    this.dueWork.add<{ now: object | null }>('maintenance', {
      everyMs: POLL_MS,
      find: () => `SELECT json_build_object('now', (SELECT to_json(m) FROM (${CURRENT_MAINTENANCE}) m))`,
      run: async ({ now }) => {
        if (now !== null || this.#current !== null) await this.refresh();
      },
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      const [row] = await this.dataSource.query<Row[]>(CURRENT_MAINTENANCE);
      this.#current = row ? toDto(row) : null;
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Starts a maintenance, or changes the one in effect. @throws {ApiError} 400 when `until` is in the past. */
  async start({ message, until = null }: StartMaintenanceDto): Promise<MaintenanceDto> {
    const [row] = await this.dataSource.query<Row[]>(
      `INSERT INTO maintenance AS m (message, until) SELECT $1, $2::timestamptz
       WHERE $2::timestamptz IS NULL OR $2::timestamptz > now()
       ON CONFLICT (is_single) DO UPDATE SET message = EXCLUDED.message, until = EXCLUDED.until,
         started_at = CASE WHEN m.until <= now() THEN now() ELSE m.started_at END
       RETURNING *`,
      // PostgreSQL refuses some times that a Date can have as text, such as those of the year 0.
      [message, until === null ? null : new Date(until)],
    );
    if (!row) {
      const problem = 'until must be in the future';
      throw new ApiError('validation_failed', `${problem}.`, [{ field: 'until', message: problem }]);
    }
    this.#current = toDto(row);
    return this.#current;
  }

  /** @throws {ApiError} 404 when there is none. */
  async end(): Promise<DeletedDto> {
    const [rows] = await this.dataSource.query<[{ was_current: boolean }[], number]>(
      'DELETE FROM maintenance RETURNING until IS NULL OR until > now() AS was_current',
    );
    this.#current = null;
    if (!rows[0]?.was_current) throw new ApiError('not_found', 'There is no maintenance to end.');
    return { deleted: { maintenance: 1 } };
  }
}

const toDto = ({ message, until, started_at }: Row): MaintenanceDto => ({
  message,
  until: until?.toISOString() ?? null,
  started_at: started_at.toISOString(),
});
