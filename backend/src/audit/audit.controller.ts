import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { AuditEntryDto, AuditQuery, OwnAuditQuery } from './audit.dto.js';
import { AuditLog } from './audit-log.service.js';

@ApiTags('Audit log')
@ApiBearerAuth()
@Controller('joint-api')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get('audit/list')
  @Roles('admin')
  @ApiOperation({
    operationId: 'listAuditEntries',
    summary: 'List who did what',
    description: 'What all accounts changed, the newest first. For administrators.',
  })
  @ApiListResponse(AuditEntryDto)
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  list(@Query() query: AuditQuery): Promise<List<AuditEntryDto>> {
    return this.log.list(query);
  }

  @Get('account/audit/list')
  @ApiOperation({
    operationId: 'listOwnAuditEntries',
    summary: 'List what you did',
    description: 'What your account changed and when it was signed in to, the newest first.',
  })
  @ApiListResponse(AuditEntryDto)
  @ApiErrors('validation_failed', 'unauthorized')
  listOwn(@CurrentUser() user: SessionUser, @Query() query: OwnAuditQuery): Promise<List<AuditEntryDto>> {
    return this.log.list(query, user.id);
  }
}
