import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { ExecutionDto, ExecutionsListQuery, ListedExecutionDto } from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listExecutions',
    summary: 'List runs',
    description: 'Your runs, the newest first; without their outputs.',
  })
  @ApiListResponse(ListedExecutionDto)
  @ApiErrors('validation_failed', 'unauthorized')
  list(@CurrentUser() user: SessionUser, @Query() query: ExecutionsListQuery): Promise<List<ListedExecutionDto>> {
    return this.executions.list(user.id, query);
  }

  @Get(':skriptExecution_id')
  @ApiOperation({
    operationId: 'getExecution',
    summary: 'Get a run',
    description: 'One run with its output or its error.',
  })
  @ApiOkResponse({ type: ExecutionDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  get(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<ExecutionDto> {
    return this.executions.get(user.id, id);
  }

  @Delete(':skriptExecution_id')
  @ApiOperation({
    operationId: 'deleteExecution',
    summary: 'Delete a run',
    description: 'Deletes a run that is over, with its saved echoes.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'has_live_run')
  delete(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<DeletedDto> {
    return this.executions.delete(user.id, id);
  }
}
