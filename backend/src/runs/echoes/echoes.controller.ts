import { Readable } from 'node:stream';
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { PathId } from '../../platform/http/path-id.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { EchoesListQuery, EchoListDto } from './echoes.dto.js';
import { EchoesService } from './echoes.service.js';

@ApiTags('Echoes')
@ApiBearerAuth()
@Controller('joint-api/echoes/:execution_id')
export class EchoesController {
  constructor(
    private readonly echoes: EchoesService,
    private readonly executions: ExecutionsService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listEchoes',
    summary: 'List the echoes of a run',
    description:
      'Lists the echoes of a run in order: first the saved echoes, then, while the run is live, the echoes that are still on its worker.',
  })
  @ApiOkResponse({ type: EchoListDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  list(
    @CurrentUser() user: SessionUser,
    @PathId('execution_id') id: string,
    @Query() query: EchoesListQuery,
  ): Promise<EchoListDto> {
    return this.echoes.list(user.id, id, query);
  }

  @Get('download')
  @ApiOperation({
    operationId: 'downloadEchoes',
    summary: 'Download the echoes of a run',
    description:
      'Downloads all echoes of a run as CSV with the columns seq, time, type and msg. A text that a spreadsheet would run as a formula begins with an apostrophe.',
  })
  @ApiOkResponse({
    content: {
      'text/csv': {
        schema: { type: 'string' },
        example: 'seq,time,type,msg\n1,2026-02-15T09:30:00.000Z,log,page 3 of 50\n',
      },
    },
  })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found')
  async download(@CurrentUser() user: SessionUser, @PathId('execution_id') id: string): Promise<StreamableFile> {
    const execution = await this.executions.get(user.id, id);
    const pieces = this.echoes.download(user.id, execution);
    // If the first piece cannot be read, the call can still be answered with the error.
    const first = await pieces.next();
    const csv = async function* () {
      yield first.value ?? '';
      yield* pieces;
    };
    return new StreamableFile(Readable.from(csv()), {
      type: 'text/csv; charset=utf-8',
      disposition: `attachment; filename="echoes-${id}.csv"`,
    });
  }
}
