import { Body, Controller, Get, HttpCode, Post, Put, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { Request } from 'express';
import { Audited } from '../../platform/audit/audited.js';
import { NeedsSession, Public } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { AccountDto, ChangePasswordDto, LoginAnswerDto, LoginDto, MessageDto } from './account.dto.js';
import { AccountService } from './account.service.js';
import { PreferencesDto, UpdatePreferencesDto } from './preferences.dto.js';

@ApiTags('Account')
@Controller()
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Post('panel/login')
  @Public()
  @Audited()
  @UseGuards(ThrottlerGuard)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'login',
    summary: 'Sign in',
    description:
      'Returns a token for the other routes. Limits: 20 tries a minute per address; 10 failed tries in 15 minutes per user name and address; 100 failed tries in 15 minutes per user name. The last limit does not apply to addresses that have signed in to the account before.',
  })
  @ApiOkResponse({ type: LoginAnswerDto })
  @ApiErrors('validation_failed', 'bad_login', 'too_many_requests')
  login(@Body() body: LoginDto, @Req() request: Request): Promise<LoginAnswerDto> {
    return this.account.login(body, request);
  }

  @Post('panel/logout')
  @NeedsSession()
  @ApiBearerAuth()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'logout',
    summary: 'Sign out',
    description: 'Ends the session of this token. The token stops working at once.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('unauthorized', 'forbidden')
  logout(@CurrentUser() user: SessionUser): Promise<MessageDto> {
    return this.account.logout(user);
  }

  @Put('joint-api/account/password')
  @NeedsSession()
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      'Ends every session of the account, including this one, and invalidates unused password links. API keys continue to work. Limit: 10 failed tries in 15 minutes.',
  })
  @ApiOkResponse({ type: MessageDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'too_many_requests')
  changePassword(@CurrentUser() user: SessionUser, @Body() body: ChangePasswordDto): Promise<MessageDto> {
    return this.account.changePassword(user, body);
  }

  @Get('joint-api/account')
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'getAccount',
    summary: 'Get your account',
    description: 'Returns the account that the token or API key belongs to, with its quotas and their current use.',
  })
  @ApiOkResponse({ type: AccountDto })
  @ApiErrors('unauthorized')
  get(@CurrentUser() user: SessionUser): Promise<AccountDto> {
    return this.account.get(user.id);
  }

  @Put('joint-api/account/preferences')
  @ApiBearerAuth()
  @ApiOperation({
    operationId: 'updatePreferences',
    summary: 'Set your preferences',
    description: 'Sets preferences for the panel, and returns all of them. Keeps the fields that you leave out.',
  })
  @ApiOkResponse({ type: PreferencesDto })
  @ApiErrors('validation_failed', 'unauthorized')
  updatePreferences(@CurrentUser() user: SessionUser, @Body() body: UpdatePreferencesDto): Promise<PreferencesDto> {
    return this.account.setPreferences(user.id, body);
  }
}
