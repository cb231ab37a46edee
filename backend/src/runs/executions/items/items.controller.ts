import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { LimitMongoCalls } from '../../../data/storage/access/mongo-call-limit.interceptor.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import {
  ChangeDto,
  ItemDto,
  ItemHistoryQuery,
  ItemsMedianDto,
  ItemsMedianQuery,
  ItemsQuery,
  RunChangesDto,
  RunChangesQuery,
} from './items.dto.js';
import { ItemsService } from './items.service.js';

const JSON_TEXT = ['Content-Type', 'application/json; charset=utf-8'] as const;

@ApiTags('Items')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found')
@Controller('joint-api')
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get('skript-execution/:skriptExecution_id/changes')
  @LimitMongoCalls()
  @Header(...JSON_TEXT)
  @ApiOperation({
    operationId: 'listRunChanges',
    summary: 'List the changes of a run',
    description:
      'Lists how the rows with a key that the run stored differ from those of earlier runs: what is added, changed, gone and back. A page over 16 MB fails with 413.',
  })
  @ApiOkResponse({ type: RunChangesDto })
  @ApiErrors('payload_too_large', 'storage_rejected', 'storage_unavailable')
  changes(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() query: RunChangesQuery,
  ): Promise<string> {
    return this.items.changesOfRun(user.id, id, query);
  }

  @Get('skripts/:skript_id/items')
  @LimitMongoCalls()
  @Header(...JSON_TEXT)
  @ApiOperation({
    operationId: 'listItems',
    summary: 'List the items of a skript',
    description:
      'Lists the items of a skript, the latest changed first. Each key that its runs have stored with `dataset.push(rows, { key })` is an item. A page over 16 MB fails with 413.',
  })
  @ApiListResponse(ItemDto)
  @ApiErrors('payload_too_large', 'storage_rejected', 'storage_unavailable')
  list(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') skriptId: string,
    @Query() query: ItemsQuery,
  ): Promise<string> {
    return this.items.items(user.id, skriptId, query);
  }

  @Get('skripts/:skript_id/items/median')
  @ApiOperation({
    operationId: 'getItemsMedian',
    summary: 'Get the median of a field over time',
    description:
      'Returns, for each merged run of the skript, the median of a field in all items that were not gone after it, and the range of most of them. Items that the run did not find, such as items of another input, count with their latest value. If the items are more than 20,000 or 64 MB, the figures come from a random sample of this size.',
  })
  @ApiOkResponse({ type: ItemsMedianDto })
  median(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') skriptId: string,
    @Query() { field }: ItemsMedianQuery,
  ): Promise<ItemsMedianDto> {
    return this.items.median(user.id, skriptId, field);
  }

  @Get('skripts/:skript_id/items/:key/history')
  @LimitMongoCalls()
  @Header(...JSON_TEXT)
  @ApiOperation({
    operationId: 'listItemHistory',
    summary: 'List the changes of an item',
    description:
      'Lists all changes of an item, newest first. For a chart of a field, read its changes: before the first change, the field had the value `was`. A page over 16 MB fails with 413.',
  })
  @ApiParam({
    name: 'key',
    description: 'Id of the item, or its key, as lists have them. Use the id if a key is long.',
    schema: { type: 'string', minLength: 1, example: '5f1d0c2ab3e4978665d2a0c1f4b3e2d1' },
  })
  @ApiListResponse(ChangeDto)
  @ApiErrors('payload_too_large', 'storage_rejected', 'storage_unavailable')
  history(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') skriptId: string,
    @Param('key') key: string,
    @Query() query: ItemHistoryQuery,
  ): Promise<string> {
    return this.items.history(user.id, skriptId, key, query);
  }
}
