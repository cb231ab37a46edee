import { Body, Controller, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { AnsweredDto, AnswerQuestionDto } from './answers.dto.js';
import { AnswersService } from './answers.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@NeedsScope('run')
@Controller('joint-api/skript-execution/:skriptExecution_id/answers')
export class AnswersController {
  constructor(private readonly answers: AnswersService) {}

  @Post()
  @ApiOperation({
    operationId: 'answerQuestion',
    summary: 'Answer a question of a run',
    description:
      'Answers a question that the skript asked with `echo.question`. The first valid answer counts; the worker refuses later answers with 409.',
  })
  @ApiOkResponse({ type: AnsweredDto, description: 'The run has the answer.' })
  @ApiAcceptedResponse({ type: AnsweredDto, description: 'Trawl delivers the answer when the worker is connected.' })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'no_live_run', 'conflict')
  async answer(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Body() body: AnswerQuestionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AnsweredDto> {
    const answered = await this.answers.answer(user.id, id, body);
    response.status(answered.delivered ? HttpStatus.OK : HttpStatus.ACCEPTED);
    return answered;
  }
}
