import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { VerdictDto } from './verdicts.dto.js';
import { VerdictsService } from './verdicts.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution/:skriptExecution_id/verdict')
export class VerdictsController {
  constructor(private readonly verdicts: VerdictsService) {}

  @Post('accept')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'acceptVerdict',
    summary: 'Accept the rows of a run',
    description:
      'Says that the rows of a run are normal now, whatever its verdict. Trawl compares later runs with this one and those after it, and no longer with earlier ones. The next two runs are `new`. Exports leave out its rows no longer, if the contract of the skript held them.',
  })
  @ApiOkResponse({ type: VerdictDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  accept(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<VerdictDto> {
    return this.verdicts.accept(user.id, id);
  }
}
