import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NotAudited } from '../../audit/audited.js';
import { CurrentUser, type SessionUser } from '../../auth/current-user.js';
import { ApiErrors } from '../../http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../http/lists/list-query.js';
import { NoticeDto, ReadNoticesDto } from './notices.dto.js';
import { NoticesService, SORTABLE } from './notices.service.js';

@ApiTags('Account')
@ApiBearerAuth()
@ApiErrors('unauthorized')
@Controller('joint-api/account/notices')
export class NoticesController {
  constructor(private readonly notices: NoticesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listNotices',
    summary: 'List your notices',
    description:
      'Lists what happened in your account, newest first: new issues, problems of schedules, finished exports and imports, lost workers, quotas. Trawl keeps the newest 200 of the last 30 days. `unread_notices` of your account counts the notices that you have not read.',
  })
  @ApiListResponse(NoticeDto, SORTABLE)
  @ApiErrors('validation_failed')
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<NoticeDto>> {
    return this.notices.list(user.id, query);
  }

  @Post('read')
  @NotAudited()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'readNotices',
    summary: 'Mark your notices as read',
    description: 'Marks all notices of your account as read.',
  })
  @ApiOkResponse({ type: ReadNoticesDto })
  @ApiErrors('forbidden')
  markRead(@CurrentUser() user: SessionUser): Promise<ReadNoticesDto> {
    return this.notices.markRead(user.id);
  }
}
