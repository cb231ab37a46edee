import { Controller, Get, Inject } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Roles } from '../../platform/auth/auth.guard.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ObjectStore } from '../../platform/objects/object-store.service.js';
import { IS_CONNECTED } from '../../runs/workers/worker-status.js';
import { TRAWL_VERSION } from '../../version.js';
import { DiskSpace } from './disk-space.service.js';
import {
  type ObjectStoreHealthDto,
  PlatformHealthDto,
  type WorkerDiskDto,
  type WorkerVersionDto,
} from './platform-health.dto.js';

const MAX_WORKERS = 100;

@ApiTags('Health')
@ApiBearerAuth()
@Roles('admin')
@Controller('joint-api/platform-health')
export class PlatformHealthController {
  constructor(
    private readonly disk: DiskSpace,
    private readonly dataSource: DataSource,
    private readonly objects: ObjectStore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getPlatformHealth',
    summary: 'Get the health of the platform',
    description:
      'Free space of the disks of backend and workers, the size of the database, versions, the last backup, and whether the object store is available. With several backends, `disk` and `object_store` are about the backend that answers.',
  })
  @ApiOkResponse({ type: PlatformHealthDto })
  @ApiErrors('unauthorized', 'forbidden')
  async get(): Promise<PlatformHealthDto> {
    const [disk, [database], workers, versions, [backup]] = await Promise.all([
      this.disk.read(),
      this.dataSource.query<{ size: string }[]>('SELECT pg_database_size(current_database()) AS size'),
      this.dataSource.query<WorkerDiskDto[]>(
        `SELECT w.id, w.name, l.disk_free::float AS free_bytes, l.disk_total::float AS total_bytes, l.disk_free < $1 AS is_low
         FROM workers w JOIN worker_leases l ON l.worker_id = w.id
         WHERE ${IS_CONNECTED} AND l.disk_free IS NOT NULL ORDER BY l.disk_free, w.id LIMIT ${MAX_WORKERS}`,
        [this.config.diskWarnBytes],
      ),
      this.dataSource.query<WorkerVersionDto[]>(
        `SELECT w.version, count(*)::int AS count FROM workers w JOIN worker_leases l ON l.worker_id = w.id
         WHERE ${IS_CONNECTED} AND w.version IS NOT NULL GROUP BY w.version ORDER BY w.version`,
      ),
      this.dataSource.query<{ made_at: string }[]>('SELECT iso_time(made_at) AS made_at FROM last_backup'),
    ]);
    return {
      disk,
      postgres: { size_bytes: Number(database?.size) },
      worker_disks: workers,
      versions: { backend: TRAWL_VERSION, workers: versions },
      last_backup_at: backup?.made_at ?? null,
      object_store: objectStoreHealth(this.objects),
    };
  }
}

function objectStoreHealth({ state }: ObjectStore): ObjectStoreHealthDto | null {
  if (!state) return null;
  const { bucket, outage } = state;
  return {
    bucket,
    is_available: outage === null,
    unavailable_since: outage?.since.toISOString() ?? null,
    reason: outage?.reason ?? null,
  };
}
