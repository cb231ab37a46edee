import { Controller, Get, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { LimitMongoCalls } from '../../../data/storage/access/mongo-call-limit.interceptor.js';
import { MAX_COLUMNS } from '../../../data/storage/documents/documents-csv.js';
import { pageOf } from '../../../data/storage/documents/mongo-documents.dto.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PathId } from '../../../platform/http/path-id.js';
import { RunRowsQuery } from './run-rows.dto.js';
import { RunRowsService } from './run-rows.service.js';

const NEXT_CURSOR = 'X-Next-Cursor';

const row = { type: 'object' as const, additionalProperties: true, description: 'A row, as plain JSON.' };

@ApiTags('Skript executions')
@ApiBearerAuth()
@LimitMongoCalls()
@Controller('joint-api/skript-execution/:skriptExecution_id/rows')
export class RunRowsController {
  constructor(private readonly rows: RunRowsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listRunRows',
    summary: 'List the rows of a run',
    description: `Returns a page of the rows that the run has stored with \`dataset.push\`, in the order of pushing, while the run is live and after. Each row has \`_id\`, \`_run\` and \`_at\`. Types that JSON lacks are text. In CSV, a text that a spreadsheet would run as a formula begins with an apostrophe. A page over 16 MB, or CSV with more than ${MAX_COLUMNS} columns, fails with 413.`,
  })
  @ApiOkResponse({
    content: {
      'application/json': { schema: pageOf(row) },
      'application/x-ndjson': {
        schema: { type: 'string' },
        example: '{"_id":"65cdf0c2a1b2c3d4e5f60718","title":"Emma"}\n',
      },
      'text/csv': { schema: { type: 'string' }, example: '_id,title,price\n65cdf0c2a1b2c3d4e5f60718,Emma,12.5\n' },
    },
    headers: {
      [NEXT_CURSOR]: {
        description: 'Cursor of the next page, to send as `after`. Absent on the last page.',
        schema: { type: 'string' },
      },
    },
  })
  @ApiErrors(
    'validation_failed',
    'unauthorized',
    'not_found',
    'payload_too_large',
    'storage_rejected',
    'storage_unavailable',
  )
  async list(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') id: string,
    @Query() query: RunRowsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { type, body, next } = await this.rows.page(user.id, id, query);
    if (next !== undefined) response.setHeader(NEXT_CURSOR, next);
    return new StreamableFile(body, { type: `${type}; charset=utf-8` });
  }
}
