import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { ApiErrors } from '../http/api-errors.js';
import { PathId } from '../http/path-id.js';
import { MongoCallSlots } from '../storage/access/mongo-call-limit.interceptor.js';
import { DocumentBatchesService } from '../storage/documents/document-batches.service.js';
import { parseFilter } from '../storage/documents/mongo-parameters.js';
import { ExportQuery, writeOptionsOf } from './export-query.js';
import { FILE_CONTENT, FORMATS } from './formats/formats.js';
import { writeExport } from './formats/write-export.js';

/** A client that reads nothing for this long is disconnected, because its export keeps a cursor of MongoDB open. */
const IDLE_MS = 120_000;

@ApiTags('Exports')
@ApiBearerAuth()
@Controller('joint-api/mongo/:db_id/:collection')
export class CollectionExportController {
  constructor(
    private readonly documents: DocumentBatchesService,
    private readonly slots: MongoCallSlots,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('export')
  @ApiOperation({
    operationId: 'exportMongoDocuments',
    summary: 'Download a collection',
    description:
      'Streams all documents that match the filter. If something fails on the way, Trawl breaks the connection, so that a part never looks like the whole file. Dates are ISO times and ids are text. The columns of CSV and XLSX, and the types of Parquet, come from all documents.',
  })
  @ApiOkResponse({
    content: FILE_CONTENT,
  })
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
  async export(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') dbId: string,
    @Param('collection') collection: string,
    @Query() query: ExportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const options = writeOptionsOf(query);
    const filter = parseFilter(query.filter);
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort(new ApiError('service_unavailable', 'The client disconnected.')));
    const { signal } = disconnected;
    const release = await this.slots.acquire(user.id, signal);
    try {
      const { fields } = options;
      const read = () => this.documents.read(user.id, dbId, collection, { filter, fields }, signal);
      const file = Readable.from(await writeExport(read, options), { objectMode: false });
      signal.throwIfAborted();
      signal.addEventListener('abort', () => file.destroy());
      file.once('close', release);
      response.setTimeout(IDLE_MS, () => response.destroy());
      const { extension, contentType } = FORMATS[query.format];
      response.attachment(`${collection}.${extension}`).setHeader('Content-Type', contentType);
      return new StreamableFile(file).setErrorHandler(error => {
        this.logger.warn({ err: error, user: user.id }, 'export failed; connection closed');
        response.destroy();
      });
    } catch (error) {
      release();
      throw error;
    }
  }
}
