import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsSession, Roles } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { CreateUserDto, UpdateUserDto, UserDto, UsersListQuery } from './users.dto.js';
import { SORTABLE, UsersService } from './users.service.js';

@ApiTags('Users')
@ApiBearerAuth()
@Roles('admin')
@ApiErrors('validation_failed', 'unauthorized', 'forbidden')
@Controller('joint-api/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly deletion: AccountDeletionService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listUsers',
    summary: 'List accounts',
    description: 'Lists all accounts. Administrators only.',
  })
  @ApiListResponse(UserDto, SORTABLE)
  list(@Query() query: UsersListQuery): Promise<List<UserDto>> {
    return this.users.list(query);
  }

  @Post('addnew')
  @Idempotent()
  @NeedsSession()
  @ApiOperation({
    operationId: 'createUser',
    summary: 'Create an account',
    description:
      'With a password, the account can be used at once. Without one, Trawl sends an e-mail with a link to set it. A new account gets a database and, when one is available, a free worker. Administrators only.',
  })
  @ApiCreatedResponse({ type: UserDto })
  @ApiErrors('name_taken')
  create(@Body() body: CreateUserDto): Promise<UserDto> {
    return this.users.create(body);
  }

  @Get(':user_id')
  @ApiOperation({
    operationId: 'getUser',
    summary: 'Get an account',
    description: 'Returns one account. Administrators only.',
  })
  @ApiOkResponse({ type: UserDto })
  @ApiErrors('not_found')
  get(@PathId('user_id') id: string): Promise<UserDto> {
    return this.users.get(id);
  }

  @Put(':user_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'updateUser',
    summary: 'Change an account',
    description:
      'Changes the role, the quotas, or whether the account is disabled. Administrators cannot change their own role or disable themselves. Administrators only.',
  })
  @ApiOkResponse({ type: UserDto })
  @ApiErrors('not_found', 'last_administrator', 'conflict')
  update(
    @CurrentUser() admin: SessionUser,
    @PathId('user_id') id: string,
    @Body() body: UpdateUserDto,
  ): Promise<UserDto> {
    return this.users.update(admin.id, id, body);
  }

  @Delete(':user_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'deleteUser',
    summary: 'Delete an account',
    description:
      'Deletes the account with its skripts, runs, schedules, API keys and databases. Fails while one of its runs has not ended. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'has_live_run', 'last_administrator', 'conflict', 'storage_unavailable')
  delete(@CurrentUser() admin: SessionUser, @PathId('user_id') id: string): Promise<DeletedDto> {
    return this.deletion.delete(admin.id, id);
  }
}
