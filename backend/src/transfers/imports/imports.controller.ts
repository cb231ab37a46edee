import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { FileBody, TakesFile, type UploadedFile } from '../../platform/http/body/file-body.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { ImportDto, ImportPreviewDto, PreviewQuery, StartImportDto, UploadQuery } from './imports.dto.js';
import { ImportsService, SORTABLE } from './imports.service.js';
import { UploadsService } from './uploads.service.js';

@ApiTags('Imports')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/imports')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly uploads: UploadsService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listImports',
    summary: 'List your imports',
    description: 'Trawl deletes imports after a week, unless your administrator has set another time.',
  })
  @ApiListResponse(ImportDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<ImportDto>> {
    return this.imports.list(user.id, query);
  }

  @Post('upload')
  @Idempotent()
  @TakesFile({
    operationId: 'uploadImport',
    summary: 'Upload a file to import',
    description:
      'Send the file itself as the body: CSV, NDJSON, MongoDB Extended JSON or a JSON array, in any WHATWG encoding and also compressed with gzip, or an XLSX workbook or a Parquet file. The upload only prepares the import: start it to import rows. The limit is 256 MiB for all files that you keep, unless your administrator has set another one.',
  })
  @ApiCreatedResponse({ type: ImportDto })
  @ApiErrors('bad_request', 'payload_too_large', 'unsupported_media_type', 'quota_exceeded')
  async upload(
    @CurrentUser() user: SessionUser,
    @Query() { file_name }: UploadQuery,
    @FileBody() file: UploadedFile,
  ): Promise<ImportDto> {
    return this.imports.get(user.id, await this.uploads.store(user.id, file_name, file));
  }

  @Get(':import_id')
  @ApiOperation({
    operationId: 'getImport',
    summary: 'Get an import, with its progress',
    description: 'The progress of a running import is a few seconds old.',
  })
  @ApiOkResponse({ type: ImportDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('import_id') id: string): Promise<ImportDto> {
    return this.imports.get(user.id, id);
  }

  @Get(':import_id/preview')
  @ApiOperation({
    operationId: 'previewImport',
    summary: 'Preview an uploaded file',
    description:
      'Reads the first rows and shows what the import would make of them. Trawl guesses the parameters that you leave out.',
  })
  @ApiOkResponse({ type: ImportPreviewDto })
  @ApiErrors('not_found', 'conflict', 'storage_unavailable')
  preview(
    @CurrentUser() user: SessionUser,
    @PathId('import_id') id: string,
    @Query() query: PreviewQuery,
  ): Promise<ImportPreviewDto> {
    return this.imports.preview(user.id, id, query);
  }

  @Post(':import_id/start')
  @HttpCode(202)
  @Idempotent()
  @ApiOperation({
    operationId: 'startImport',
    summary: 'Start an import',
    description:
      'Imports the file in the background. Until every row is read and checked, the collection or table does not change. You can start a failed or cancelled import again, with other settings.',
  })
  @ApiAcceptedResponse({ type: ImportDto })
  @ApiErrors('not_found', 'conflict', 'storage_rejected', 'storage_unavailable', 'too_many_requests')
  start(
    @CurrentUser() user: SessionUser,
    @PathId('import_id') id: string,
    @Body() body: StartImportDto,
  ): Promise<ImportDto> {
    return this.imports.start(user.id, id, body);
  }

  @Post(':import_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelImport',
    summary: 'Cancel an import',
    description:
      'A cancelled import changes nothing. You can cancel an import until Trawl has checked all rows and moves them into the collection or table.',
  })
  @ApiOkResponse({ type: ImportDto })
  @ApiErrors('not_found', 'conflict')
  cancel(@CurrentUser() user: SessionUser, @PathId('import_id') id: string): Promise<ImportDto> {
    return this.imports.cancel(user.id, id);
  }

  @Get(':import_id/bad-rows')
  @ApiOperation({
    operationId: 'downloadBadRows',
    summary: 'Download the bad rows of an import',
    description:
      'Returns the rows that cannot be imported: for CSV, XLSX and Parquet as CSV, with the columns `row` and `reason` before those of the file, otherwise as NDJSON. Cells are unchanged, so a spreadsheet may run some as formulas.',
  })
  @ApiOkResponse({
    content: {
      'text/csv': {
        schema: { type: 'string' },
        example: 'row,reason,title,price\n17,"price: ""abc"" is not a number such as 1234.5.",Emma,abc\n',
      },
      'application/x-ndjson': { schema: { type: 'string' } },
    },
  })
  @ApiErrors('not_found')
  async badRows(@CurrentUser() user: SessionUser, @PathId('import_id') id: string): Promise<StreamableFile> {
    const { bytes, isCsv } = await this.imports.badRows(user.id, id);
    return new StreamableFile(Readable.from(bytes), {
      type: isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      disposition: `attachment; filename="bad-rows-${id}.${isCsv ? 'csv' : 'ndjson'}"`,
    });
  }

  @Delete(':import_id')
  @ApiOperation({
    operationId: 'deleteImport',
    summary: 'Delete an import',
    description:
      'Deletes the uploaded file and the bad rows. Imported documents and rows stay. Cancel a running import first.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'conflict')
  delete(@CurrentUser() user: SessionUser, @PathId('import_id') id: string): Promise<DeletedDto> {
    return this.imports.delete(user.id, id);
  }
}
