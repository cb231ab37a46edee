import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { ExportDto } from '../exports.dto.js';
import { CreateExporterDto, ExporterDto, UpdateExporterDto } from './exporters.dto.js';
import { ExportersService, MAX_EXPORTERS, SORTABLE } from './exporters.service.js';

@ApiTags('Exporters')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/exporters')
export class ExportersController {
  constructor(private readonly exporters: ExportersService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listExporters',
    summary: 'List exporters',
    description: 'Lists your exporters, newest first.',
  })
  @ApiListResponse(ExporterDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<ExporterDto>> {
    return this.exporters.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createExporter',
    summary: 'Add an exporter',
    description: `Saves an export that repeats: at the times of a cron span, after each run of a skript, or when you start it. You may have ${MAX_EXPORTERS} exporters.`,
  })
  @ApiCreatedResponse({ type: ExporterDto })
  @ApiErrors('not_found', 'name_taken', 'quota_exceeded', 'storage_rejected')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateExporterDto): Promise<ExporterDto> {
    return this.exporters.create(user.id, body);
  }

  @Get(':exporter_id')
  @ApiOperation({ operationId: 'getExporter', summary: 'Get an exporter', description: 'Returns one exporter.' })
  @ApiOkResponse({ type: ExporterDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('exporter_id') id: string): Promise<ExporterDto> {
    return this.exporters.get(user.id, id);
  }

  @Put(':exporter_id')
  @ApiOperation({
    operationId: 'updateExporter',
    summary: 'Change an exporter',
    description:
      'Changes the fields that you send. A disabled exporter only exports when you start it. If you change the data to export, `only_new` starts again from the first document.',
  })
  @ApiOkResponse({ type: ExporterDto })
  @ApiErrors('not_found', 'name_taken', 'conflict', 'storage_rejected')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('exporter_id') id: string,
    @Body() body: UpdateExporterDto,
  ): Promise<ExporterDto> {
    return this.exporters.update(user.id, id, body);
  }

  @Delete(':exporter_id')
  @ApiOperation({
    operationId: 'deleteExporter',
    summary: 'Delete an exporter',
    description: 'Deletes an exporter. Its exports stay.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('exporter_id') id: string): Promise<DeletedDto> {
    return this.exporters.delete(user.id, id);
  }

  @Post(':exporter_id/run')
  @Idempotent()
  @ApiOperation({
    operationId: 'runExporter',
    summary: 'Start an export of an exporter',
    description: 'Starts an export now, even if the exporter is disabled.',
  })
  @ApiCreatedResponse({ type: ExportDto })
  @ApiErrors('not_found', 'conflict', 'storage_rejected', 'too_many_requests')
  run(@CurrentUser() user: SessionUser, @PathId('exporter_id') id: string): Promise<ExportDto> {
    return this.exporters.run(user.id, id);
  }
}
