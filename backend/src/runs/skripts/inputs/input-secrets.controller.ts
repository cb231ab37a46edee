import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { SkriptPartsQuery } from '../skript-parts.dto.js';
import { PART_SORTABLE } from '../skript-parts.js';
import { CreateInputSecretDto, InputSecretDto, UpdateInputSecretDto } from './input-secrets.dto.js';
import { InputSecretsService } from './input-secrets.service.js';

@ApiTags('Input secrets')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/input-secrets')
export class InputSecretsController {
  constructor(private readonly secrets: InputSecretsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listInputSecrets',
    summary: 'List input secrets of your skripts, without their values',
    description: 'Lists input secrets of all your skripts or of one. The API never returns their values.',
  })
  @ApiListResponse(InputSecretDto, PART_SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptPartsQuery): Promise<List<InputSecretDto>> {
    return this.secrets.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createInputSecret',
    summary: 'Add an input secret to a skript',
    description: 'Stores a second argument of `main.js` under a name, encrypted. Only runs get its value.',
  })
  @ApiCreatedResponse({ type: InputSecretDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateInputSecretDto): Promise<InputSecretDto> {
    return this.secrets.create(user.id, body);
  }

  @Get(':inputSecret_id')
  @ApiOperation({
    operationId: 'getInputSecret',
    summary: 'Get an input secret',
    description: 'Returns everything but the value.',
  })
  @ApiOkResponse({ type: InputSecretDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('inputSecret_id') id: string): Promise<InputSecretDto> {
    return this.secrets.get(user.id, id);
  }

  @Put(':inputSecret_id')
  @ApiOperation({
    operationId: 'updateInputSecret',
    summary: 'Update an input secret',
    description: 'Keeps the fields that you leave out.',
  })
  @ApiOkResponse({ type: InputSecretDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('inputSecret_id') id: string,
    @Body() body: UpdateInputSecretDto,
  ): Promise<InputSecretDto> {
    return this.secrets.update(user.id, id, body);
  }

  @Delete(':inputSecret_id')
  @ApiOperation({
    operationId: 'deleteInputSecret',
    summary: 'Delete an input secret',
    description: 'Deletes the value immediately. Runs started with this input secret remain and still show its name.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('inputSecret_id') id: string): Promise<DeletedDto> {
    return this.secrets.delete(user.id, id);
  }
}
