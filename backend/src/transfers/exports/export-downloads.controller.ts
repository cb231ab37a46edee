import { Controller, Get, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { PathId } from '../../platform/http/path-id.js';
import { ExportQuery, TableExportQuery } from './export-query.js';
import { ExportStreamsService } from './export-streams.service.js';
import { FILE_CONTENT } from './formats/formats.js';

const BROKEN =
  'If something fails on the way, Trawl breaks the connection, so that a part never looks like the whole file.';

/** Downloads of the sources of exports, without a job. */
@ApiTags('Exports')
@ApiBearerAuth()
@ApiErrors(
  'validation_failed',
  'unauthorized',
  'not_found',
  'conflict',
  'payload_too_large',
  'storage_rejected',
  'too_many_requests',
  'storage_unavailable',
)
@Controller('joint-api')
export class ExportDownloadsController {
  constructor(private readonly streams: ExportStreamsService) {}

  @Get('mongo/:db_id/:collection/export')
  @ApiOperation({
    operationId: 'exportMongoDocuments',
    summary: 'Download a collection',
    description: `Streams all documents that match the filter. ${BROKEN} Dates are ISO times and ids are text. The columns of CSV and XLSX, and the types of Parquet, come from all documents.`,
  })
  @ApiOkResponse({ content: FILE_CONTENT })
  exportCollection(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') db_id: string,
    @Param('collection') collection: string,
    @Query() query: ExportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { filter } = query;
    return this.streams.open(user.id, { source: 'collection', db_id, collection, filter }, query, response);
  }

  @Get('skript-execution/:skriptExecution_id/rows/export')
  @ApiOperation({
    operationId: 'exportRunRows',
    summary: 'Download the rows of a run',
    description: `Streams all rows that the run has stored with \`dataset.push\` and that match the filter. ${BROKEN} A run that is live may store more rows later.`,
  })
  @ApiOkResponse({ content: FILE_CONTENT })
  exportRun(
    @CurrentUser() user: SessionUser,
    @PathId('skriptExecution_id') execution_id: string,
    @Query() query: ExportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { filter } = query;
    return this.streams.open(user.id, { source: 'run', execution_id, filter }, query, response);
  }

  @Get('postgres-tables/:table/export')
  @ApiOperation({
    operationId: 'exportPostgresTable',
    summary: 'Download a PostgreSQL table',
    description: `Streams all rows of a table or view. ${BROKEN} For conditions and joins, create an export with the source \`query\`.`,
  })
  @ApiOkResponse({ content: FILE_CONTENT })
  exportTable(
    @CurrentUser() user: SessionUser,
    @Param('table') table: string,
    @Query() query: TableExportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { schema } = query;
    return this.streams.open(user.id, { source: 'table', schema, table }, query, response);
  }
}
