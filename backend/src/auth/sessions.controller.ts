import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { NeedsSession } from './auth.guard.js';
import { CurrentUser, type SessionUser } from './current-user.js';
import { SessionDto } from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Account')
@ApiBearerAuth()
@Controller('joint-api/account/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'List your sessions',
    description: 'Where you are signed in: each sign-in that was not signed out and is not over.',
  })
  @ApiListResponse(SessionDto)
  @ApiErrors('validation_failed', 'unauthorized')
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<SessionDto>> {
    return this.sessions.list(user, query);
  }

  @Delete(':session_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'deleteSession',
    summary: 'End a session',
    description: 'Its token is worth nothing at once, and its live connections are cut.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('session_id') id: string): Promise<DeletedDto> {
    return this.sessions.end(user.id, id);
  }
}
