import { Body, Controller, Get, Header, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throttle, ThrottlerGuard } from '@nestjs/throttler';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { Audited, auditedAs } from '../audit/audited.js';
import { Public } from '../auth/auth.guard.js';
import { ApiErrors } from '../common/api-errors.js';
import { LOGGER } from '../common/logger.js';
import { seenAddress } from '../common/seen-address.js';
import { AccountsService } from './accounts.service.js';
import { ContactMessagesService } from './contact-messages.service.js';
import { checkContact, checkForgotPassword, checkSignUp, isFromProgram, sentFrom } from './form-rules.js';
import {
  ContactFormDto,
  ForgotPasswordDto,
  IpDto,
  LinkedAccountDto,
  MsgDto,
  PasswordLinkDto,
  SetPasswordDto,
  SignUpFormDto,
} from './forms.dto.js';
import { PasswordLinksService } from './password-links.service.js';
import { UnhurriedWork } from './unhurried-work.js';

const TRIES = { default: { limit: 20, ttl: 10 * 60_000 } };
const MAIL_LIMIT_TEXT = 'A mailbox gets a few e-mails of a kind within an hour, whoever asks.';
const LIMIT_TEXT = 'At most 20 tries in ten minutes from one address.';

/** What the website's forms and the links in e-mails call. */
@ApiTags('Website')
@Public()
@Controller()
export class WwwController {
  constructor(
    private readonly messages: ContactMessagesService,
    private readonly accounts: AccountsService,
    private readonly links: PasswordLinksService,
    private readonly unhurried: UnhurriedWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('ip')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getIp',
    summary: 'Which address do I come from',
    description: 'The address that the request came from. The forms send it along.',
  })
  @ApiOkResponse({ type: IpDto })
  ip(@Req() request: Request): IpDto {
    return { external_ip: seenAddress(request) };
  }

  @Post('www/contact')
  @UseGuards(ThrottlerGuard)
  @Throttle(TRIES)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'sendContactMessage',
    summary: 'Send a contact message',
    description: `Keeps the message for the administrators. The rules of the form are checked in its order; the error tells of the first one that is broken. ${LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests')
  async contact(@Body() form: ContactFormDto, @Req() request: Request): Promise<MsgDto> {
    const answer = { msg: 'The message is sent. We will answer very soon.' };
    if (this.#isFromProgram(form)) return answer;
    await this.messages.save({ ...checkContact(form), ...sentFrom(form) }, seenAddress(request));
    return answer;
  }

  @Post('www/users/register')
  @UseGuards(ThrottlerGuard)
  @Throttle(TRIES)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'signUp',
    summary: 'Sign up',
    description:
      'Makes an account and sends a link that sets its password and opens its FREE PACK. The answer is the same for an address ' +
      `that has an account already: the e-mail says so. ${MAIL_LIMIT_TEXT} ${LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests', 'service_unavailable')
  async register(@Body() form: SignUpFormDto, @Req() request: Request): Promise<MsgDto> {
    const isFromProgram = this.#isFromProgram(form);
    const profile = isFromProgram ? null : { ...checkSignUp(form), ...sentFrom(form), seen_ip: seenAddress(request) };
    await this.unhurried.do(async () => {
      if (profile) await this.accounts.signUp(profile);
    });
    return {
      msg: 'An e-mail from us is in your mailbox or on its way. Open the link in the newest one within 24 hours and set your password: that opens your account and your FREE PACK.',
    };
  }

  @Post('www/users/forgot-password')
  @UseGuards(ThrottlerGuard)
  @Throttle(TRIES)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'forgotPassword',
    summary: 'Ask for a link that sets a new password',
    description: `Sends a link, which works for an hour, if there is such an account. The answer is the same if not. ${MAIL_LIMIT_TEXT} ${LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests', 'service_unavailable')
  async forgotPassword(@Body() form: ForgotPasswordDto): Promise<MsgDto> {
    const email = checkForgotPassword(form);
    await this.unhurried.do(() => this.accounts.forgotPassword(email));
    return {
      msg: 'If there is an account with this address, an e-mail with a link is in its mailbox or on its way. The link works once.',
    };
  }

  @Post('www/users/password-link')
  @UseGuards(ThrottlerGuard)
  @Throttle(TRIES)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'readPasswordLink',
    summary: 'See whose password a link sets',
    description: `Answers the account’s user name as long as the link works, and does not use it up. ${LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: LinkedAccountDto })
  @ApiErrors('validation_failed', 'link_not_usable', 'too_many_requests')
  async passwordLink(@Body() { token }: PasswordLinkDto): Promise<LinkedAccountDto> {
    return { username: await this.links.usernameOf(token) };
  }

  @Post('www/users/set-password')
  @Audited()
  @UseGuards(ThrottlerGuard)
  @Throttle(TRIES)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'setPassword',
    summary: 'Set a password with the link of an e-mail',
    description: `Uses the link up and ends the account’s sessions. The first password opens the account and its FREE PACK. ${LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'link_not_usable', 'too_many_requests')
  async setPassword(@Body() { token, password }: SetPasswordDto, @Req() request: Request): Promise<MsgDto> {
    auditedAs(request, await this.accounts.setPassword(token, password));
    return { msg: 'Your password is set. Sign in with your e-mail address and the new password.' };
  }

  #isFromProgram(form: ContactFormDto | SignUpFormDto): boolean {
    const answer = isFromProgram(form);
    if (answer) this.logger.info('a form was filled by a program; nothing of it is kept');
    return answer;
  }
}
