import { Body, Controller, Get, HttpCode, Post, Res, type StreamableFile } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Audited } from '../../../platform/audit/audited.js';
import { NeedsSession } from '../../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { DeleteAccountDto, MessageDto } from '../account.dto.js';
import { AccountService } from '../account.service.js';
import { AccountArchive, ARCHIVES_PER_HOUR } from './account-archive.service.js';

@ApiTags('Account')
@ApiBearerAuth()
@Controller('joint-api/account')
export class AccountDataController {
  constructor(
    private readonly archive: AccountArchive,
    private readonly account: AccountService,
  ) {}

  @Get('archive')
  @NeedsSession()
  @Audited('account')
  @ApiOperation({
    operationId: 'downloadAccountArchive',
    summary: 'Download your data',
    description: `Streams a zip with the data of your account: skripts with their files and inputs, runs, schedules, exporters, webhooks, the audit log, and all documents and rows that you store. Lists are files with one JSON object a line. It never contains passwords, keys or the values of input secrets. If something fails on the way, Trawl breaks the connection, so that a part never looks like the whole archive. Limits: one at a time, ${ARCHIVES_PER_HOUR} an hour.`,
  })
  @ApiOkResponse({ content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } })
  @ApiErrors('unauthorized', 'forbidden', 'too_many_requests', 'storage_unavailable')
  download(@CurrentUser() user: SessionUser, @Res({ passthrough: true }) response: Response): Promise<StreamableFile> {
    return this.archive.open(user.id, response);
  }

  @Post('delete')
  @NeedsSession()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'deleteAccount',
    summary: 'Delete your account',
    description:
      'Closes your account at once: your sessions and API keys stop working, and your runs end. Then Trawl deletes the account with its skripts, runs, schedules and databases. You cannot undo this. Limit: 10 failed tries in 15 minutes.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'last_administrator', 'too_many_requests')
  delete(@CurrentUser() user: SessionUser, @Body() body: DeleteAccountDto): Promise<MessageDto> {
    return this.account.delete(user, body);
  }
}
