import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { MongoDatabaseContentsService } from './mongo-database-contents.service.js';
import {
  MongoDatabaseDetailsDto,
  MongoDatabaseDto,
  MongoDatabaseNameDto,
  MongoDatabasesQuery,
  UpdateMongoDatabaseDto,
} from './mongo-databases.dto.js';
import { MongoDatabasesService, SORTABLE } from './mongo-databases.service.js';

@ApiTags('MongoDB databases')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/mongo-databases')
export class MongoDatabasesController {
  constructor(
    private readonly databases: MongoDatabasesService,
    private readonly contents: MongoDatabaseContentsService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listMongoDatabases',
    summary: 'List your MongoDB databases',
    description:
      'Lists the databases in which your runs store documents, or the databases that administrators share with all accounts for reading.',
  })
  @ApiListResponse(MongoDatabaseDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: MongoDatabasesQuery): Promise<List<MongoDatabaseDto>> {
    return this.databases.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createMongoDatabase',
    summary: 'Add a database',
    description: 'The new database is empty. MongoDB creates a collection when you add its first document.',
  })
  @ApiCreatedResponse({ type: MongoDatabaseDto })
  @ApiErrors('name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: MongoDatabaseNameDto): Promise<MongoDatabaseDto> {
    return this.databases.add(user.id, body.name);
  }

  @Get(':db_id')
  @ApiOperation({
    operationId: 'getMongoDatabase',
    summary: 'Get a database, with its size',
    description: 'Returns the number of collections and documents, and their size.',
  })
  @ApiOkResponse({ type: MongoDatabaseDetailsDto })
  @ApiErrors('not_found', 'storage_unavailable')
  get(@CurrentUser() user: SessionUser, @PathId('db_id') id: string): Promise<MongoDatabaseDetailsDto> {
    return this.contents.get(user.id, id);
  }

  @Put(':db_id')
  @ApiOperation({
    operationId: 'updateMongoDatabase',
    summary: 'Rename or share a database',
    description:
      'Skripts that use the old name fail until you change them. An administrator can share a database: then all accounts can read it, within seconds.',
  })
  @ApiOkResponse({ type: MongoDatabaseDto })
  @ApiErrors('not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('db_id') id: string,
    @Body() body: UpdateMongoDatabaseDto,
  ): Promise<MongoDatabaseDto> {
    return this.databases.update(user, id, body);
  }

  @Delete(':db_id')
  @ApiOperation({
    operationId: 'deleteMongoDatabase',
    summary: 'Delete a database',
    description:
      'Deletes all its collections and documents. Runs that use it get an error that names the missing database.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'storage_unavailable')
  delete(@CurrentUser() user: SessionUser, @PathId('db_id') id: string): Promise<DeletedDto> {
    return this.contents.delete(user.id, id);
  }
}
