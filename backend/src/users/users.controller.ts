import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsSession, Roles } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { CreateUserDto, UpdateUserDto, UserDto, UsersListQuery } from './users.dto.js';
import { UsersService } from './users.service.js';

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
  @ApiOperation({ operationId: 'listUsers', summary: 'List accounts', description: 'All of them. For administrators.' })
  @ApiListResponse(UserDto)
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
      'With a password it is open at once; without, an e-mail with a link that sets it goes to the address. It begins with a database and, as soon as there is one, a free worker. For administrators.',
  })
  @ApiCreatedResponse({ type: UserDto })
  @ApiErrors('name_taken')
  create(@Body() body: CreateUserDto): Promise<UserDto> {
    return this.users.create(body);
  }

  @Get(':user_id')
  @ApiOperation({ operationId: 'getUser', summary: 'Get an account', description: 'For administrators.' })
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
      'Its role, whether it is disabled, and its quotas. Nobody takes the role from themselves or disables themselves. For administrators.',
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
      'With everything of it: skripts, runs, schedules, keys, and its databases with their documents. Refused while one of its runs goes on. For administrators.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found', 'has_live_run', 'last_administrator', 'conflict', 'storage_unavailable')
  delete(@CurrentUser() admin: SessionUser, @PathId('user_id') id: string): Promise<DeletedDto> {
    return this.deletion.delete(admin.id, id);
  }
}
