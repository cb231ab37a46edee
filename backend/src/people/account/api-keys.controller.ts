import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsSession } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { ApiKeyDto, CreateApiKeyDto, CreatedApiKeyDto, UpdateApiKeyDto } from './api-keys.dto.js';
import { ApiKeysService, SORTABLE } from './api-keys.service.js';

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
    description: 'Lists names, scopes and dates, but not the keys themselves. Revoked keys stay listed for 30 days.',
  })
  @ApiListResponse(ApiKeyDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<ApiKeyDto>> {
    return this.keys.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @NeedsSession()
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'Returns the key. Store it now: no other response contains it.',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyDto })
  @ApiErrors('name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.keys.create(user.id, body);
  }

  @Get(':key_id')
  @ApiOperation({
    operationId: 'getApiKey',
    summary: 'Get an API key',
    description: 'Returns name, scope and dates, but not the key itself.',
  })
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
    description: 'Changes the name only. To change the scope or the expiry, create another key.',
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
    description: 'Invalidates the key at once and closes its live connections.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('key_id') id: string): Promise<DeletedDto> {
    return this.keys.revoke(user.id, id);
  }
}
