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
      'Accepts the rows of a run as normal, whatever its verdict. From now on, Trawl compares runs only with this run and later runs. The next two runs are `new`. Exports include its rows again if the contract of the skript held them.',
  })
  @ApiOkResponse({ type: VerdictDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  accept(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<VerdictDto> {
    return this.verdicts.accept(user.id, id);
  }
}
