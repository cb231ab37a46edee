import { Body, Controller, Get, HttpCode, Post, Put, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ThrottlerGuard } from '@nestjs/throttler';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import type { Repository } from 'typeorm';
import { Audited } from '../audit/audited.js';
import { ApiErrors } from '../common/api-errors.js';
import { entityFields } from '../common/entity.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { User } from '../users/user.entity.js';
import { FreeWorkersService } from '../workers/free-workers.service.js';
import { AccountDto, ChangePasswordDto, LoginAnswerDto, LoginDto, MessageDto } from './auth.dto.js';
import { NeedsSession, Public } from './auth.guard.js';
import { AuthService } from './auth.service.js';
import { CurrentUser, type SessionUser } from './current-user.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Account')
@Controller()
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    private readonly freeWorkers: FreeWorkersService,
    private readonly quotas: QuotasService,
    @InjectRepository(User) private readonly users: Repository<User>,
  ) {}

  @Post('panel/login')
  @Public()
  @Audited()
  @UseGuards(ThrottlerGuard)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'login',
    summary: 'Sign in',
    description:
      'Answers a token for the other routes. At most 20 tries a minute from one address, and 10 that fail in 15 minutes for one user name from one address. Where 100 fail for one user name, only addresses that signed in to it before may go on trying until the 15 minutes are over.',
  })
  @ApiOkResponse({ type: LoginAnswerDto })
  @ApiErrors('validation_failed', 'bad_login', 'too_many_requests')
  login(@Body() body: LoginDto, @Req() request: Request): Promise<LoginAnswerDto> {
    return this.auth.login(body, request);
  }

  @Post('panel/logout')
  @NeedsSession()
  @ApiBearerAuth()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'logout',
    summary: 'Sign out',
    description: 'Ends the session that the token names; the token is worth nothing from then on.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('unauthorized', 'forbidden')
  async logout(@CurrentUser() user: SessionUser): Promise<MessageDto> {
    if (user.session_id) await this.sessions.close(user.id, user.session_id);
    return { message: 'Signed out.' };
  }

  @Put('joint-api/account/password')
  @NeedsSession()
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      'Ends every session of the account, the one that makes the call too, and every link that would set its password. API keys go on. At most 10 tries that fail in 15 minutes.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'too_many_requests')
  changePassword(@CurrentUser() user: SessionUser, @Body() body: ChangePasswordDto): Promise<MessageDto> {
    return this.auth.changePassword(user, body);
  }

  @Get('joint-api/account')
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'getAccount',
    summary: 'Who am I',
    description: 'The account that the token or API key belongs to, and in `quotas` what it may have and has.',
  })
  @ApiOkResponse({ type: AccountDto })
  @ApiErrors('unauthorized')
  async account(@CurrentUser() { id }: SessionUser): Promise<AccountDto> {
    const user = await this.users.findOneByOrFail({ id });
    const freeWorker = await this.freeWorkers.stateOf(id);
    const quotas = await this.quotas.uses(id);
    return { ...entityFields(user), username: user.username, role: user.role, free_worker: freeWorker, quotas };
  }
}
