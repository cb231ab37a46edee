import { Controller, Get, Header, Headers, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../auth/auth.guard.js';
import { ApiError, notFound } from '../common/errors.js';
import { BundlesService } from '../skripts/bundles.service.js';
import { LocksService } from '../skripts/locks.service.js';
import { WorkersService } from '../workers/workers.service.js';

const SHA_256 = /^[0-9a-f]{64}$/;

/** Part of the worker protocol: what is larger than a frame may be. Only what runs on the caller need: a stolen key shows no more. */
@ApiExcludeController()
@Controller('worker-api')
export class WorkerBundlesController {
  constructor(
    private readonly workers: WorkersService,
    private readonly bundles: BundlesService,
    private readonly locks: LocksService,
    private readonly dataSource: DataSource,
  ) {}

  @Get('bundles/:hash')
  @Public()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'private, no-store')
  async bundle(@Param('hash') hash: string, @Headers('authorization') authorization = ''): Promise<string> {
    const isOffered = await this.#isOffered(hash, authorization, 'e.bundle_hash');
    const code = isOffered ? await this.bundles.code(hash) : null;
    if (code === null) throw notFound('bundle of a run on this worker', hash);
    return code;
  }

  @Get('locks/:hash')
  @Public()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'private, no-store')
  async lock(@Param('hash') hash: string, @Headers('authorization') authorization = ''): Promise<string> {
    const isOffered = await this.#isOffered(hash, authorization, 'b.lock_hash');
    const text = isOffered ? await this.locks.text(hash) : null;
    if (text === null) throw notFound('lock of a run on this worker', hash);
    return text;
  }

  async #isOffered(hash: string, authorization: string, column: 'e.bundle_hash' | 'b.lock_hash'): Promise<boolean> {
    const worker = await this.workers.ofKey(authorization.replace(/^Bearer /, ''));
    if (!worker) throw new ApiError('unauthorized', 'A worker key is needed: `Authorization: Bearer trw_…`.');
    if (!SHA_256.test(hash)) return false;
    const offered = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM live_runs r JOIN executions e ON e.id = r.execution_id LEFT JOIN bundles b ON b.hash = e.bundle_hash
       WHERE r.worker_id = $1 AND r.boot_id IS NOT NULL AND ${column} = $2 LIMIT 1`,
      [worker.id, hash],
    );
    return offered.length > 0;
  }
}
