import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiError } from '../../../platform/common/errors.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ExchangeDto, RunExchangesDto } from './evidence.dto.js';
import { EvidenceService } from './evidence.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@Controller('joint-api/skript-execution/:skriptExecution_id')
export class EvidenceController {
  constructor(private readonly evidence: EvidenceService) {}

  @Get('exchanges')
  @ApiOperation({
    operationId: 'listExchanges',
    summary: 'List what a run saw',
    description:
      'Returns the last 50 HTTP exchanges of a run that failed or whose verdict is `broken`, and the page that its browser showed last. The list is empty for other runs, while the run is live, and if `keep_exchanges` of the skript is false.',
  })
  @ApiOkResponse({ type: RunExchangesDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  list(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<RunExchangesDto> {
    return this.evidence.list(user.id, id);
  }

  @Get('exchanges.har')
  @ApiOperation({
    operationId: 'downloadExchanges',
    summary: 'Download what a run saw',
    description:
      'Returns the same exchanges with their headers and bodies as an HTTP archive (HAR 1.2), which the developer tools of browsers open.',
  })
  @ApiOkResponse({
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        example: { log: { version: '1.2', creator: { name: 'Trawl', version: '1' }, pages: [], entries: [] } },
      },
    },
  })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  async download(@CurrentUser() user: SessionUser, @PathId('skriptExecution_id') id: string): Promise<StreamableFile> {
    const har = await this.evidence.har(user.id, id);
    return new StreamableFile(Buffer.from(JSON.stringify(har)), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="exchanges-${id}.har"`,
    });
  }

  @Get('exchanges/:sequence')
  @ApiOperation({
    operationId: 'getExchange',
    summary: 'Get one exchange of a run',
    description: 'Returns an exchange of the list with its headers and bodies.',
  })
  @ApiParam({ name: 'sequence', schema: { type: 'integer', minimum: 1 }, description: '`sequence` in the list.' })
  @ApiOkResponse({ type: ExchangeDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  get(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Param('sequence') sequence: string,
  ): Promise<ExchangeDto> {
    if (!/^[1-9]\d{0,8}$/.test(sequence)) {
      const message = 'sequence must be a whole number from 1 on';
      throw new ApiError('validation_failed', `${message}, got ${sequence.slice(0, 100)}.`, [
        { field: 'sequence', message },
      ]);
    }
    return this.evidence.get(user.id, id, Number(sequence));
  }
}
