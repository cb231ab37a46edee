import { Inject, Injectable } from '@nestjs/common';
import type { WaitingReason } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { WORKER_STATUS } from '../../runs/workers/worker-status.js';

export interface PlatformState {
  running: number;
  paused: number;
  /** `oldest` in seconds. */
  waiting: { reason: WaitingReason; count: number; oldest: number }[];
  /** `slots` of these workers together, `used` of them by runs; `low_disks` of their disks are nearly full. `event_loop_ms` is the longest block of an event loop. */
  workers: {
    status: string;
    count: number;
    slots: number;
    used: number;
    low_disks: number;
    event_loop_ms: number;
    chromiums: string[];
  }[];
  /** Objects whose rows are deleted, and which the object store may still have. */
  objectsToDelete: number;
  /** Bytes of the platform's database. */
  postgresSize: number;
}

/** Reads the state of all runs and workers for the metrics. */
@Injectable()
export class PlatformStateRepository {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async read(): Promise<PlatformState> {
    const [[onWorkers], waiting, workers, [objects], [database]] = await Promise.all([
      this.dataSource.query<{ running: number; paused: number }[]>(
        `SELECT (count(*) FILTER (WHERE e.action <> 'pause'))::int AS running,
           (count(*) FILTER (WHERE e.action = 'pause'))::int AS paused
         FROM live_runs r JOIN executions e ON e.id = r.execution_id WHERE r.boot_id IS NOT NULL`,
      ),
      this.dataSource.query<PlatformState['waiting']>(
        `SELECT waiting_reason AS reason, count(*)::int AS count,
           coalesce(extract(epoch FROM now() - min(waiting_since)), 0)::float AS oldest
         FROM live_runs WHERE boot_id IS NULL AND waiting_reason IS NOT NULL GROUP BY waiting_reason`,
      ),
      this.dataSource.query<PlatformState['workers']>(
        `SELECT status, count(*)::int AS count, sum(slots)::int AS slots, sum(used)::int AS used,
           (count(*) FILTER (WHERE disk_free < $1))::int AS low_disks, coalesce(max(event_loop_ms), 0) AS event_loop_ms,
           coalesce(json_agg(chromium) FILTER (WHERE chromium IS NOT NULL), '[]') AS chromiums FROM (
           SELECT ${WORKER_STATUS} AS status, w.slots, w.chromium, l.disk_free, l.event_loop_ms,
             (SELECT count(*) FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL) AS used
           FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id) AS each GROUP BY status`,
        [this.config.diskWarnBytes],
      ),
      this.dataSource.query<{ count: number }[]>(
        'SELECT count(*)::int AS count FROM object_deletions WHERE delete_after <= now()',
      ),
      this.dataSource.query<{ size: string }[]>('SELECT pg_database_size(current_database()) AS size'),
    ]);
    return {
      running: 0,
      paused: 0,
      ...onWorkers,
      waiting,
      workers,
      objectsToDelete: objects?.count ?? 0,
      postgresSize: Number(database?.size),
    };
  }
}
