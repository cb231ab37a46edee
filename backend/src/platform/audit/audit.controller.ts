import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../http/api-errors.js';
import { ApiListResponse, type List } from '../http/lists/list-query.js';
import { AuditEntryDto, AuditQuery, OwnAuditQuery } from './audit.dto.js';
import { AuditLog, SORTABLE } from './audit-log.service.js';

@ApiTags('Audit log')
@ApiBearerAuth()
@Controller('joint-api')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get('audit/list')
  @Roles('admin')
  @ApiOperation({
    operationId: 'listAuditEntries',
    summary: 'List the audit log',
    description: 'Lists the changes and sign-ins of all accounts, newest first. Administrators only.',
  })
  @ApiListResponse(AuditEntryDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  list(@Query() query: AuditQuery): Promise<List<AuditEntryDto>> {
    return this.log.list(query);
  }

  @Get('account/audit/list')
  @ApiOperation({
    operationId: 'listOwnAuditEntries',
    summary: 'List your audit log',
    description: 'Lists the changes and sign-ins of your account, newest first.',
  })
  @ApiListResponse(AuditEntryDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized')
  listOwn(@CurrentUser() user: SessionUser, @Query() query: OwnAuditQuery): Promise<List<AuditEntryDto>> {
    return this.log.list(query, user.id);
  }
}
