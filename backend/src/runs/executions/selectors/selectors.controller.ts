import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LimitMongoCalls } from '../../../data/storage/access/mongo-call-limit.interceptor.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { RowSelectorsDto, RowSelectorsQuery, SelectorsDto, SelectorsQuery } from './selectors.dto.js';
import { SelectorsService } from './selectors.service.js';

@ApiTags('Skript executions')
@ApiBearerAuth()
@LimitMongoCalls()
@Controller('joint-api/skript-execution/:skriptExecution_id')
export class SelectorsController {
  constructor(private readonly selectors: SelectorsService) {}

  @Get('selectors')
  @ApiOperation({
    operationId: 'suggestSelectors',
    summary: 'Suggest selectors for an empty field',
    description:
      'For a field that became empty: compares the values of the last good run with the pages that this run saw, and suggests CSS selectors that give these values, or values that look like them. Trawl keeps the pages of failed and broken runs.',
  })
  @ApiOkResponse({ type: SelectorsDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_unavailable', 'service_unavailable')
  suggest(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() query: SelectorsQuery,
  ): Promise<SelectorsDto> {
    return this.selectors.suggest(user.id, id, query);
  }

  @Get('row-selectors')
  @ApiOperation({
    operationId: 'suggestRowSelectors',
    summary: 'Suggest selectors for missing rows',
    description:
      'For a run that failed, or found no rows or only some of them: compares the rows of the last good run with the pages that this run saw, and suggests CSS selectors of the element that has a row, and of the fields in it. Trawl keeps the pages of failed and broken runs.',
  })
  @ApiOkResponse({ type: RowSelectorsDto })
  @ApiErrors('validation_failed', 'unauthorized', 'not_found', 'storage_unavailable', 'service_unavailable')
  suggestRows(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() query: RowSelectorsQuery,
  ): Promise<RowSelectorsDto> {
    return this.selectors.suggestRows(user.id, id, query);
  }
}
