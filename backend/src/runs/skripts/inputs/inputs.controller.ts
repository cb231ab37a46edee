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
import { CreateInputDto, InputDto, ListedInputDto, UpdateInputDto } from './inputs.dto.js';
import { InputsService } from './inputs.service.js';

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
    description:
      'Lists inputs of all your skripts or of one. To read a value, call `GET /joint-api/inputs/{input_id}`.',
  })
  @ApiListResponse(ListedInputDto, PART_SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SkriptPartsQuery): Promise<List<ListedInputDto>> {
    return this.inputs.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createInput',
    summary: 'Add an input to a skript',
    description: 'Stores a first argument of `main.js` under a name, so that you can start any number of runs with it.',
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
    description: 'Returns the input with its value.',
  })
  @ApiOkResponse({ type: InputDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('input_id') id: string): Promise<InputDto> {
    return this.inputs.get(user.id, id);
  }

  @Put(':input_id')
  @ApiOperation({
    operationId: 'updateInput',
    summary: 'Update an input',
    description: 'Keeps the fields that you leave out.',
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
    description: 'Runs started with this input remain and still show its name.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('input_id') id: string): Promise<DeletedDto> {
    return this.inputs.delete(user.id, id);
  }
}
