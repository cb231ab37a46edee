import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsSession, Roles } from '../../../platform/auth/auth.guard.js';
import { DeletedDto } from '../../../platform/common/entity.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Idempotent } from '../../../platform/idempotency/idempotent.js';
import { ContactMessageDto, CreateDemoAccountDto, DemoAccountDto } from './contact-messages.dto.js';
import { ContactMessagesService, SORTABLE } from './contact-messages.service.js';

@ApiTags('Contact messages')
@ApiBearerAuth()
@Controller('joint-api/contact-messages')
export class ContactMessagesController {
  constructor(private readonly messages: ContactMessagesService) {}

  @Get('list')
  @Roles('admin')
  @ApiOperation({
    operationId: 'listContactMessages',
    summary: 'List contact messages',
    description: 'Lists messages from the contact form. Trawl deletes them after a year. Administrators only.',
  })
  @ApiListResponse(ContactMessageDto, SORTABLE)
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  list(@Query() query: ListQuery): Promise<List<ContactMessageDto>> {
    return this.messages.list(query);
  }

  @Get(':contact_message_id')
  @Roles('admin')
  @ApiOperation({
    operationId: 'getContactMessage',
    summary: 'Get a contact message',
    description: 'Returns one message. Administrators only.',
  })
  @ApiOkResponse({ type: ContactMessageDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
  get(@PathId('contact_message_id') id: string): Promise<ContactMessageDto> {
    return this.messages.get(id);
  }

  @Post(':contact_message_id/demo-account')
  @Roles('admin')
  @NeedsSession()
  @Idempotent()
  @ApiOperation({
    operationId: 'createDemoAccount',
    summary: 'Create a demo account',
    description:
      'Creates an account for the visitor that expires. Its user name is the e-mail address of the message. With an SMTP server, Trawl sends a link to set the password; without one, the response has the password. Administrators only.',
  })
  @ApiCreatedResponse({ type: DemoAccountDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found', 'name_taken')
  createDemoAccount(
    @PathId('contact_message_id') id: string,
    @Body() { days }: CreateDemoAccountDto,
  ): Promise<DemoAccountDto> {
    return this.messages.createDemoAccount(id, days);
  }

  @Delete(':contact_message_id')
  @Roles('admin')
  @ApiOperation({
    operationId: 'deleteContactMessage',
    summary: 'Delete a contact message',
    description: 'Deletes the message. A copy sent to `CONTACT_EMAIL` stays in that mailbox. Administrators only.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
  delete(@PathId('contact_message_id') id: string): Promise<DeletedDto> {
    return this.messages.delete(id);
  }
}
