import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../platform/audit/audited.js';
import { NeedsScope } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ImportSiteSessionDto, SessionValueDto, SiteSessionDto, SiteSessionsQuery } from './site-sessions.dto.js';
import { SORTABLE } from './site-sessions.repository.js';
import { SiteSessionsService } from './site-sessions.service.js';

@ApiTags('Sessions')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/sessions')
export class SiteSessionsController {
  constructor(private readonly sessions: SiteSessionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listSiteSessions',
    summary: 'List sessions',
    description: 'Lists the logins to sites that your runs share, without their values.',
  })
  @ApiListResponse(SiteSessionDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: SiteSessionsQuery): Promise<List<SiteSessionDto>> {
    return this.sessions.list(user.id, query);
  }

  @Post('import')
  @Audited('siteSession')
  @ApiOperation({
    operationId: 'importSiteSession',
    summary: 'Import a session',
    description:
      'Gives a session the cookies of a browser, from a file in JSON or in the Netscape format. Keeps cookies of the origins that you name, and leaves out expired cookies. If you already have a session of this name, it gets the new value.',
  })
  @ApiCreatedResponse({ type: SiteSessionDto })
  @ApiErrors('payload_too_large', 'quota_exceeded')
  import(@CurrentUser() user: SessionUser, @Body() body: ImportSiteSessionDto): Promise<SiteSessionDto> {
    return this.sessions.import(user.id, body);
  }

  @Get(':siteSession_id')
  @ApiOperation({
    operationId: 'getSiteSession',
    summary: 'Get a session',
    description: 'Returns everything but the value, with the live runs that use the session.',
  })
  @ApiOkResponse({ type: SiteSessionDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('siteSession_id') id: string): Promise<SiteSessionDto> {
    return this.sessions.get(user.id, id);
  }

  @Get(':siteSession_id/export')
  @NeedsScope('all')
  @Audited('siteSession')
  @ApiOperation({
    operationId: 'exportSiteSession',
    summary: 'Export a session',
    description:
      'Returns the value: cookies, storage and user agent, in the format of a Playwright storage state. Anybody who has the value is logged in. The audit log notes each export.',
  })
  @ApiOkResponse({ type: SessionValueDto })
  @ApiErrors('forbidden', 'not_found')
  export(@CurrentUser() user: SessionUser, @PathId('siteSession_id') id: string): Promise<SessionValueDto> {
    return this.sessions.export(user.id, id);
  }

  @Delete(':siteSession_id')
  @ApiOperation({
    operationId: 'deleteSiteSession',
    summary: 'Delete a session',
    description:
      'Deletes the value at once. The next run that needs the session logs in again. Trawl does not notify the site.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('siteSession_id') id: string): Promise<DeletedDto> {
    return this.sessions.delete(user.id, id);
  }
}
