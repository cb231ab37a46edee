import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { SessionUser } from '../../../platform/auth/current-user.js';
import { notFound } from '../../../platform/common/errors.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { IS_CONNECTED } from '../worker-status.js';
import { WorkersRepository } from '../workers.repository.js';
import type { WorkerHistoryDto, WorkerSampleDto } from './worker-history.dto.js';

/** Samples are shown for so long. */
const KEPT = `interval '24 hours'`;

/** Notes every five minutes how busy each worker is. */
@Injectable()
export class WorkerHistory implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workers: WorkersRepository,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('worker samples', 'hourly', () =>
      this.dataSource.query(`DELETE FROM worker_samples WHERE at < now() - ${KEPT}`),
    );
  }

  /** Each backend calls it; the first one of a period notes all workers. */
  @Cron('*/5 * * * *')
  async sample(): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO worker_samples (worker_id, at, is_online, runs, cpu, memory)
       SELECT w.id, date_bin('5 minutes', now(), 'epoch'), ${IS_CONNECTED},
         (SELECT count(*) FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL),
         CASE WHEN ${IS_CONNECTED} THEN l.cpu END,
         CASE WHEN ${IS_CONNECTED} THEN l.memory_used::real / greatest(l.memory_total, 1) END
       FROM workers w JOIN worker_leases l ON l.worker_id = w.id
       ON CONFLICT DO NOTHING`,
    );
  }

  /** @throws {ApiError} 404, also if the user may not see the worker. */
  async of(user: SessionUser, workerId: string): Promise<WorkerHistoryDto> {
    if (!(await this.workers.find(user.id, workerId))) throw notFound('worker', workerId);
    const samples = await this.dataSource.query<WorkerSampleDto[]>(
      `SELECT iso_time(at) AS at, is_online, runs, cpu, memory FROM worker_samples
       WHERE worker_id = $1 AND at > now() - ${KEPT} ORDER BY at`,
      [workerId],
    );
    return { samples };
  }
}
