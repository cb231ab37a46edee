import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { CreateInputDto, InputDto, ListedInputDto, UpdateInputDto } from './inputs.dto.js';
import { InputsService } from './inputs.service.js';
import { SkriptPartsQuery } from './skript-files.dto.js';

@ApiTags('Inputs')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/inputs')
export class InputsController {
  constructor(private readonly inputs: InputsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listInputs',
    summary: 'List inputs of your skripts, without their values',
    description: 'Of all your skripts or of one; a value comes with `GET /joint-api/inputs/{input_id}`.',
  })
  @ApiListResponse(ListedInputDto)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptPartsQuery): Promise<List<ListedInputDto>> {
    return this.inputs.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createInput',
    summary: 'Add an input to a skript',
    description:
      'Keeps a first argument of `main.js` under a name, with which runs can be started as often as you like.',
  })
  @ApiCreatedResponse({ type: InputDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateInputDto): Promise<InputDto> {
    return this.inputs.create(user.id, body);
  }

  @Get(':input_id')
  @ApiOperation({
    operationId: 'getInput',
    summary: 'Get an input',
    description: 'With its value.',
  })
  @ApiOkResponse({ type: InputDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('input_id') id: string): Promise<InputDto> {
    return this.inputs.get(user.id, id);
  }

  @Put(':input_id')
  @ApiOperation({
    operationId: 'updateInput',
    summary: 'Change an input',
    description: 'Fields that are not sent stay as they are.',
  })
  @ApiOkResponse({ type: InputDto })
  @ApiErrors('not_found', 'name_taken', 'payload_too_large')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('input_id') id: string,
    @Body() body: UpdateInputDto,
  ): Promise<InputDto> {
    return this.inputs.update(user.id, id, body);
  }

  @Delete(':input_id')
  @ApiOperation({
    operationId: 'deleteInput',
    summary: 'Delete an input',
    description: 'Runs that were started with it stay, and keep its name.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('input_id') id: string): Promise<DeletedDto> {
    return this.inputs.delete(user.id, id);
  }
}
