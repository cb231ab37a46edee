import { Body, Controller, Get, Header, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throttle, ThrottlerGuard } from '@nestjs/throttler';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { Audited, auditedAs } from '../../platform/audit/audited.js';
import { Public } from '../../platform/auth/auth.guard.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { LOGGER } from '../../platform/common/logger.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { clientAddress } from '../../platform/http/client-address.js';
import { PasswordLinksService } from '../users/password-links.service.js';
import { RegistrationService } from '../users/registration.service.js';
import { ConstantTimeResponder } from './constant-time-responder.service.js';
import { ContactMessagesService } from './contact/contact-messages.service.js';
import { FORM_RATE_LIMIT, FORM_RATE_LIMIT_TEXT } from './form-rate-limit.js';
import { checkContact, checkForgotPassword, checkSignUp, isFromBot, sentFrom } from './forms/form-rules.js';
import {
  ContactFormDto,
  ForgotPasswordDto,
  IpDto,
  LinkedAccountDto,
  MsgDto,
  PasswordLinkDto,
  SetPasswordDto,
  SignUpFormDto,
} from './forms/forms.dto.js';

const MAIL_LIMIT_TEXT = 'A mailbox gets only a few e-mails of the same kind per hour.';

/** Routes for the website's forms, and for the links in e-mails. */
@ApiTags('Website')
@Public()
@Controller()
export class WwwController {
  constructor(
    private readonly messages: ContactMessagesService,
    private readonly registration: RegistrationService,
    private readonly links: PasswordLinksService,
    private readonly responder: ConstantTimeResponder,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('ip')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getIp',
    summary: 'Get your IP address',
    description: 'Returns the IP address that the request came from. The website’s forms send it with their fields.',
  })
  @ApiOkResponse({ type: IpDto })
  ip(@Req() request: Request): IpDto {
    return { external_ip: clientAddress(request) };
  }

  @Post('www/contact')
  @UseGuards(ThrottlerGuard)
  @Throttle(FORM_RATE_LIMIT)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'sendContactMessage',
    summary: 'Send a contact message',
    description: `Saves a message for the administrators, and e-mails it to them if the installation sends e-mail. Fields are checked in the order of the form; the error names the first one that fails. ${FORM_RATE_LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests')
  async contact(@Body() form: ContactFormDto, @Req() request: Request): Promise<MsgDto> {
    const answer = { msg: 'The message is sent. We will answer very soon.' };
    if (this.#isFromBot(form)) return answer;
    await this.messages.save({ ...checkContact(form), ...sentFrom(form) }, clientAddress(request));
    return answer;
  }

  @Post('www/users/register')
  @UseGuards(ThrottlerGuard)
  @Throttle(FORM_RATE_LIMIT)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'signUp',
    summary: 'Sign up',
    description:
      'Creates an account and sends an e-mail with a link to set its password, which opens its FREE PACK. The response is the same ' +
      `for an address that already has an account; only the e-mail differs. Without an SMTP server, msg says to ask an administrator for the link. ${MAIL_LIMIT_TEXT} ${FORM_RATE_LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests', 'service_unavailable')
  async register(@Body() form: SignUpFormDto, @Req() request: Request): Promise<MsgDto> {
    const isBot = this.#isFromBot(form);
    const profile = isBot ? null : { ...checkSignUp(form), ...sentFrom(form), seen_ip: clientAddress(request) };
    await this.responder.run(async () => {
      if (profile) await this.registration.signUp(profile);
    });
    return {
      msg: this.#sendsMail
        ? 'An e-mail is on its way to you. Open the link in the newest one within 24 hours and set your password: that opens your account and your FREE PACK.'
        : 'Your sign-up is saved. This installation sends no e-mail, so ask an administrator for the link that opens your account. It works for 24 hours.',
    };
  }

  @Post('www/users/forgot-password')
  @UseGuards(ThrottlerGuard)
  @Throttle(FORM_RATE_LIMIT)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'forgotPassword',
    summary: 'Request a password reset',
    description: `Sends an e-mail with a link to set a new password, valid for one hour. The response is the same when no account has this address. ${MAIL_LIMIT_TEXT} ${FORM_RATE_LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'too_many_requests', 'service_unavailable')
  async forgotPassword(@Body() form: ForgotPasswordDto): Promise<MsgDto> {
    const email = checkForgotPassword(form);
    await this.responder.run(() => this.registration.forgotPassword(email));
    return {
      msg: this.#sendsMail
        ? 'If an account with this address exists, an e-mail with a link is on its way to it. The link works once.'
        : 'This installation sends no e-mail. If an account with this address exists, an administrator has a link for it. The link works once.',
    };
  }

  @Post('www/users/password-link')
  @UseGuards(ThrottlerGuard)
  @Throttle(FORM_RATE_LIMIT)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'readPasswordLink',
    summary: 'Check a password link',
    description: `Returns the user name of the link’s account while the link is valid. Does not use the link. ${FORM_RATE_LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: LinkedAccountDto })
  @ApiErrors('validation_failed', 'link_not_usable', 'too_many_requests')
  async passwordLink(@Body() { token }: PasswordLinkDto): Promise<LinkedAccountDto> {
    return { username: await this.links.usernameOf(token) };
  }

  @Post('www/users/set-password')
  @Audited()
  @UseGuards(ThrottlerGuard)
  @Throttle(FORM_RATE_LIMIT)
  @HttpCode(200)
  @ApiOperation({
    operationId: 'setPassword',
    summary: 'Set a password with a link',
    description: `Sets the password of the link’s account and ends its sessions. The link works once. The first password opens the account and its FREE PACK. ${FORM_RATE_LIMIT_TEXT}`,
  })
  @ApiOkResponse({ type: MsgDto })
  @ApiErrors('validation_failed', 'link_not_usable', 'too_many_requests')
  async setPassword(@Body() { token, password }: SetPasswordDto, @Req() request: Request): Promise<MsgDto> {
    auditedAs(request, await this.registration.setPassword(token, password));
    return { msg: 'Your password is set. Sign in with your e-mail address and the new password.' };
  }

  get #sendsMail(): boolean {
    return this.config.smtpUrl !== undefined;
  }

  #isFromBot(form: ContactFormDto | SignUpFormDto): boolean {
    const isBot = isFromBot(form);
    if (isBot) this.logger.info('form from a bot discarded');
    return isBot;
  }
}
