import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsSession } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { SessionDto } from './sessions.dto.js';
import { SessionsService, SORTABLE } from './sessions.service.js';

@ApiTags('Account')
@ApiBearerAuth()
@Controller('joint-api/account/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'List your sessions',
    description: 'Lists where you are signed in. Sessions that ended or expired are left out.',
  })
  @ApiListResponse(SessionDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized')
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<SessionDto>> {
    return this.sessions.list(user, query);
  }

  @Delete(':session_id')
  @NeedsSession()
  @ApiOperation({
    operationId: 'deleteSession',
    summary: 'End a session',
    description: 'Invalidates the session’s token at once and closes its live connections.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('session_id') id: string): Promise<DeletedDto> {
    return this.sessions.end(user.id, id);
  }
}
