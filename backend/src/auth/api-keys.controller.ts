import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { ApiKeyDto, CreateApiKeyDto, CreatedApiKeyDto, UpdateApiKeyDto } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';
import { NeedsSession } from './auth.guard.js';
import { CurrentUser, type SessionUser } from './current-user.js';

@ApiTags('API keys')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: 'List your API keys',
    description: 'Never the keys themselves. Revoked ones are listed for 30 more days.',
  })
  @ApiListResponse(ApiKeyDto)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<ApiKeyDto>> {
    return this.keys.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @NeedsSession()
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'The key itself is in this answer and never again.',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyDto })
  @ApiErrors('name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.keys.create(user.id, body);
  }

  @Get(':key_id')
  @ApiOperation({ operationId: 'getApiKey', summary: 'Get an API key', description: 'Never the key itself.' })
  @ApiOkResponse({ type: ApiKeyDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('key_id') id: string): Promise<ApiKeyDto> {
    return this.keys.get(user.id, id);
  }

  @Put(':key_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'updateApiKey',
    summary: 'Rename an API key',
    description: 'What a key may do and for how long never changes: make another one.',
  })
  @ApiOkResponse({ type: ApiKeyDto })
  @ApiErrors('not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('key_id') id: string,
    @Body() body: UpdateApiKeyDto,
  ): Promise<ApiKeyDto> {
    return this.keys.update(user.id, id, body);
  }

  @Delete(':key_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'deleteApiKey',
    summary: 'Revoke an API key',
    description: 'The key is worth nothing at once, and its live connections are cut.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('key_id') id: string): Promise<DeletedDto> {
    return this.keys.revoke(user.id, id);
  }
}
