import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NotAudited } from '../../platform/audit/audited.js';
import { NeedsSession } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { RenewedSessionDto, SessionDto } from './sessions.dto.js';
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

  @Post('renew')
  @NeedsSession()
  @NotAudited()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'renewSession',
    summary: 'Renew your session',
    description:
      'Returns a new token for the session of this call, which then lasts five hours from now, but at most 24 hours from the sign-in. The earlier token works until it expires. The panel calls this while you use it.',
  })
  @ApiOkResponse({ type: RenewedSessionDto })
  @ApiErrors('unauthorized', 'forbidden')
  renew(@CurrentUser() user: SessionUser): Promise<RenewedSessionDto> {
    return this.sessions.renew(user);
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
