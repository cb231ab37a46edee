import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { countText } from '@trawl/contracts';
import type { Request } from 'express';
import { auditedMany } from '../../../platform/audit/audited.js';
import { Roles } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { Waiting, type WaitingCall } from '../../../platform/auth/waiting-call.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import {
  AllExecutionsQuery,
  DeletedExecutionsDto,
  DeleteExecutionsDto,
  ExecutionDto,
  ExecutionQuery,
  ExecutionsListQuery,
  LatestRunsDto,
  LatestRunsQuery,
  ListedExecutionDto,
  MAX_DELETED_RUNS,
  PlatformExecutionDto,
} from './executions.dto.js';
import { SORTABLE } from './executions.repository.js';
import { ExecutionsService } from './executions.service.js';
import { WaitsService } from './waits.service.js';
import { MAX_READ_RUNS, WrittenDataDto, WrittenDataQuery } from './written-data.dto.js';
import { WrittenDataRepository } from './written-data.repository.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution')
export class ExecutionsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly waits: WaitsService,
    private readonly written: WrittenDataRepository,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listExecutions',
    summary: 'List runs',
    description: 'Lists your runs without their outputs, newest first.',
  })
  @ApiListResponse(ListedExecutionDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized')
  list(@CurrentUser() user: SessionUser, @Query() query: ExecutionsListQuery): Promise<List<ListedExecutionDto>> {
    return this.executions.list(user.id, query);
  }

  @Get('list-all')
  @Roles('admin')
  @ApiOperation({
    operationId: 'listAllExecutions',
    summary: 'List the runs of all accounts',
    description:
      'Lists the runs of all accounts, newest first, without their inputs, outputs and error texts. Administrators only.',
  })
  @ApiListResponse(PlatformExecutionDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  listAll(@Query() query: AllExecutionsQuery): Promise<List<PlatformExecutionDto>> {
    return this.executions.listAll(query);
  }

  @Get('latest-by-skript')
  @ApiOperation({
    operationId: 'listLatestRuns',
    summary: 'List the latest runs of skripts',
    description: 'Lists the 40 newest runs of each skript, with the fields that a chart needs.',
  })
  @ApiOkResponse({ type: LatestRunsDto })
  @ApiErrors('validation_failed', 'unauthorized')
  latest(@CurrentUser() user: SessionUser, @Query() { skript_ids }: LatestRunsQuery): Promise<LatestRunsDto> {
    return this.executions.latestOfSkripts(user.id, skript_ids.split(','));
  }

  @Get('written-data')
  @ApiOperation({
    operationId: 'listWrittenData',
    summary: 'List the data that a skript wrote',
    description: `Lists the collections and tables to which the runs of a skript wrote, with the number of rows and their growth. Counts the newest ${MAX_READ_RUNS} runs that are kept.`,
  })
  @ApiOkResponse({ type: WrittenDataDto })
  @ApiErrors('validation_failed', 'unauthorized')
  writtenData(@CurrentUser() user: SessionUser, @Query() { skript_id }: WrittenDataQuery): Promise<WrittenDataDto> {
    return this.written.ofSkript(user.id, skript_id);
  }

  @Post('delete-many')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'deleteExecutions',
    summary: 'Delete many runs',
    description: `Deletes the runs that match all fields you send, and their saved echoes: the oldest first, at most ${MAX_DELETED_RUNS} a call. Keeps live runs, and runs with a live retry.`,
  })
  @ApiOkResponse({ type: DeletedExecutionsDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  async deleteMany(
    @CurrentUser() user: SessionUser,
    @Body() body: DeleteExecutionsDto,
    @Req() request: Request,
  ): Promise<DeletedExecutionsDto> {
    const { ids, answer } = await this.executions.deleteMany(user.id, body);
    auditedMany(request, { kind: 'skriptExecutions', ids, name: countText(ids.length, 'run') });
    return answer;
  }

  @Get(':skriptExecution_id')
  @ApiOperation({
    operationId: 'getExecution',
    summary: 'Get a run',
    description:
      'Returns one run with its output or error; with `wait_ms`, as soon as it has ended. A retry is a run of its own, so the call does not wait for it.',
  })
  @ApiOkResponse({ type: ExecutionDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  get(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() { wait_ms }: ExecutionQuery,
    @Waiting() call: WaitingCall,
  ): Promise<ExecutionDto> {
    if (wait_ms === 0) return this.executions.get(user.id, id);
    return this.waits.forEnd(user.id, { id, followsRetries: false, isNew: false }, wait_ms, call);
  }

  @Delete(':skriptExecution_id')
  @ApiOperation({
    operationId: 'deleteExecution',
    summary: 'Delete a run',
    description: 'Deletes a run that has ended, and its saved echoes.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'has_live_run')
  delete(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<DeletedDto> {
    return this.executions.delete(user.id, id);
  }
}
