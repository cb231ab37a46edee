import { Controller, Get, Header, Headers, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../platform/auth/auth.guard.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { LiveRunsRepository } from '../executions/dispatch/live-runs.repository.js';
import { BundlesService } from '../skripts/bundles/bundles.service.js';
import { LocksService } from '../skripts/bundles/locks.service.js';
import { WorkersService } from '../workers/workers.service.js';

const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * Serves bundles and lock files to workers over HTTP, because they may be larger than a frame of the worker protocol. A
 * worker gets only those that its current runs need. So a stolen worker key gives no access to others.
 */
@ApiExcludeController()
@Controller('worker-api')
export class WorkerBundlesController {
  constructor(
    private readonly workers: WorkersService,
    private readonly bundles: BundlesService,
    private readonly locks: LocksService,
    private readonly liveRuns: LiveRunsRepository,
  ) {}

  @Get('bundles/:hash')
  @Public()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'private, no-store')
  async bundle(@Param('hash') hash: string, @Headers('authorization') authorization = ''): Promise<string> {
    const isNeeded = await this.#isNeeded(hash, authorization, 'bundle');
    const code = isNeeded ? await this.bundles.code(hash) : null;
    if (code === null) throw notFound('bundle of a run on this worker', hash);
    return code;
  }

  @Get('locks/:hash')
  @Public()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'private, no-store')
  async lock(@Param('hash') hash: string, @Headers('authorization') authorization = ''): Promise<string> {
    const isNeeded = await this.#isNeeded(hash, authorization, 'lock');
    const text = isNeeded ? await this.locks.text(hash) : null;
    if (text === null) throw notFound('lock of a run on this worker', hash);
    return text;
  }

  async #isNeeded(hash: string, authorization: string, kind: 'bundle' | 'lock'): Promise<boolean> {
    const worker = await this.workers.ofKey(authorization.replace(/^Bearer /, ''));
    if (!worker) throw new ApiError('unauthorized', 'Send a worker key: `Authorization: Bearer trw_…`.');
    return SHA_256.test(hash) && this.liveRuns.isNeededBy(worker.id, kind, hash);
  }
}
