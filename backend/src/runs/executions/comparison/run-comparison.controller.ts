import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LimitMongoCalls } from '../../../data/storage/access/mongo-call-limit.interceptor.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { RunComparisonDto, RunComparisonQuery } from './run-comparison.dto.js';
import { MAX_COMPARED_ROWS, RunComparisonService } from './run-comparison.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@LimitMongoCalls()
@Controller('joint-api/skript-execution/:skriptExecution_id/comparison')
export class RunComparisonController {
  constructor(private readonly comparison: RunComparisonService) {}

  @Get(':other_execution_id')
  @ApiOperation({
    operationId: 'compareRuns',
    summary: 'Compare the rows of two runs',
    description: `Compares the rows of a run with the rows of another run, which counts as the earlier run. These are rows of \`dataset.push\`. Of recorded runs and replays, you can also compare rows that they sent with \`mongo\` and \`postgres.insertMany\`. If one run is a replay, times during the runs count as equal, such as \`scraped_at\`. The runs may be of different skripts. It compares the first ${MAX_COMPARED_ROWS} rows of each run, or 16 MB of them.`,
  })
  @ApiOkResponse({ type: RunComparisonDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_unavailable')
  compare(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @PathId('other_execution_id', 'Id of the run to compare it with.') otherId: string,
    @Query() { target }: RunComparisonQuery,
  ): Promise<RunComparisonDto> {
    return this.comparison.compare(user.id, id, otherId, target);
  }
}
