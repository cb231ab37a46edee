import { Body, Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { CreateExportDto, ExportDto, ExportsListQuery } from './exports.dto.js';
import { ExportsService, SORTABLE } from './exports.service.js';
import { FILE_CONTENT } from './formats/formats.js';
import { sendFile } from './send-file.js';

@ApiTags('Exports')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/exports')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listExports',
    summary: 'List exports',
    description: 'Lists your exports, newest first.',
  })
  @ApiListResponse(ExportDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ExportsListQuery): Promise<List<ExportDto>> {
    return this.exports.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createExport',
    summary: 'Start an export',
    description:
      'Queues an export. Trawl writes its file in the background and keeps it for some days. You may have 20 exports and imports queued or running.',
  })
  @ApiCreatedResponse({ type: ExportDto })
  @ApiErrors('not_found', 'storage_rejected', 'too_many_requests')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateExportDto): Promise<ExportDto> {
    return this.exports.create(user.id, body);
  }

  @Get(':export_id')
  @ApiOperation({
    operationId: 'getExport',
    summary: 'Get an export',
    description: 'Returns one export with its progress. While it runs, `rows` is a few seconds old.',
  })
  @ApiOkResponse({ type: ExportDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('export_id') id: string): Promise<ExportDto> {
    return this.exports.get(user.id, id);
  }

  @Post(':export_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelExport',
    summary: 'Cancel an export',
    description:
      'Cancels an export. A queued export ends at once, a running export within seconds. An export that has ended does not change.',
  })
  @ApiOkResponse({ type: ExportDto })
  @ApiErrors('not_found')
  cancel(@CurrentUser() user: SessionUser, @PathId('export_id') id: string): Promise<ExportDto> {
    return this.exports.cancel(user.id, id);
  }

  @Delete(':export_id')
  @ApiOperation({
    operationId: 'deleteExport',
    summary: 'Delete an export',
    description: 'Deletes an export with its file. If it is running, it stops.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('export_id') id: string): Promise<DeletedDto> {
    return this.exports.delete(user.id, id);
  }

  @Get(':export_id/file')
  @ApiOperation({
    operationId: 'downloadExport',
    summary: 'Download the file of an export',
    description:
      'Returns the file of an export that is `done`. HEAD and `Range` work, so a download can resume; a range behind the end of the file returns 416.',
  })
  @ApiHeader({ name: 'Range', required: false, description: 'The part to return.', example: 'bytes=0-1023' })
  @ApiOkResponse({ content: FILE_CONTENT })
  @ApiErrors('not_found', 'conflict')
  async download(
    @CurrentUser() user: SessionUser,
    @PathId('export_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(response, id, await this.exports.file(user.id, id));
  }
}
