import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { ApiErrors } from '../common/api-errors.js';
import { DeletedDto } from '../common/entity.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { ContactMessageDto } from './contact-messages.dto.js';
import { ContactMessagesService } from './contact-messages.service.js';

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
    description: 'What visitors sent with the contact form, kept for a year. For administrators.',
  })
  @ApiListResponse(ContactMessageDto)
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden')
  list(@Query() query: ListQuery): Promise<List<ContactMessageDto>> {
    return this.messages.list(query);
  }

  @Get(':contact_message_id')
  @Roles('admin')
  @ApiOperation({
    operationId: 'getContactMessage',
    summary: 'Get a contact message',
    description: 'For administrators.',
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
    description:
      'For good, before its year is over; a copy that was sent to CONTACT_EMAIL is in that mailbox. For administrators.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('validation_failed', 'unauthorized', 'forbidden', 'not_found')
  delete(@PathId('contact_message_id') id: string): Promise<DeletedDto> {
    return this.messages.delete(id);
  }
}
