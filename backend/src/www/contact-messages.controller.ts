import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../auth/auth.guard.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../common/list-query.js';
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
}
