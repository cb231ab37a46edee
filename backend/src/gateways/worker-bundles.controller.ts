import { Controller, Get, Header, Headers, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../auth/auth.guard.js';
import { ApiError, notFound } from '../common/errors.js';
import { BundlesService } from '../skripts/bundles.service.js';
import { WorkersService } from '../workers/workers.service.js';

const SHA_256 = /^[0-9a-f]{64}$/;

/** Part of the worker protocol: a bundle is larger than a frame may be. */
@ApiExcludeController()
@Controller('worker-api/bundles')
export class WorkerBundlesController {
  constructor(
    private readonly workers: WorkersService,
    private readonly bundles: BundlesService,
    private readonly dataSource: DataSource,
  ) {}

  /** Only bundles of runs that are on the caller: a stolen key shows no more. */
  @Get(':hash')
  @Public()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'private, no-store')
  async get(@Param('hash') hash: string, @Headers('authorization') authorization = ''): Promise<string> {
    const worker = await this.workers.ofKey(authorization.replace(/^Bearer /, ''));
    if (!worker) throw new ApiError('unauthorized', 'A worker key is needed: `Authorization: Bearer trw_…`.');
    if (!SHA_256.test(hash)) throw notFound('bundle of a run on this worker', hash);
    const [offered] = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM live_runs r JOIN executions e ON e.id = r.execution_id
       WHERE r.worker_id = $1 AND r.boot_id IS NOT NULL AND e.bundle_hash = $2 LIMIT 1`,
      [worker.id, hash],
    );
    const code = offered ? await this.bundles.code(hash) : null;
    if (code === null) throw notFound('bundle of a run on this worker', hash);
    return code;
  }
}
