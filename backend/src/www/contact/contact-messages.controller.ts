import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../auth/auth.guard.js';
import { DeletedDto } from '../../common/entity.js';
import { ApiErrors } from '../../http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../http/lists/list-query.js';
import { PathId } from '../../http/path-id.js';
import { ContactMessageDto } from './contact-messages.dto.js';
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
