import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { CurrentUser, type SessionUser } from '../../auth/current-user.js';
import { ApiErrors } from '../../http/api-errors.js';
import { EventsField } from '../events-field.js';

const EVENTS =
  'The events that Trawl e-mails you about. By default `schedule.missed`, `schedule.problem` and `quota.warning`.';

export class EmailSettingsDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: EVENT_TYPES },
    description: EVENTS,
    example: ['run.failed', 'schedule.missed'],
  })
  email_events!: EventType[];
}

export class UpdateEmailSettingsDto {
  @EventsField({ description: EVENTS, minItems: 0 })
  email_events!: EventType[];
}

@ApiTags('Account')
@ApiBearerAuth()
@ApiErrors('unauthorized')
@Controller('joint-api/account/notifications')
export class EmailSettingsController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  @ApiOperation({
    operationId: 'getNotificationSettings',
    summary: 'Get your e-mail notifications',
    description: 'Returns the events that Trawl e-mails you about.',
  })
  @ApiOkResponse({ type: EmailSettingsDto })
  async get(@CurrentUser() user: SessionUser): Promise<EmailSettingsDto> {
    const [row] = await this.dataSource.query<EmailSettingsDto[]>('SELECT email_events_of($1) AS email_events', [
      user.id,
    ]);
    return row as EmailSettingsDto;
  }

  @Put()
  @ApiOperation({
    operationId: 'updateNotificationSettings',
    summary: 'Choose your e-mail notifications',
    description:
      'Replaces the list of events that Trawl e-mails you about. You get at most one e-mail an hour: the first event is sent within seconds, later ones together.',
  })
  @ApiOkResponse({ type: EmailSettingsDto })
  @ApiErrors('validation_failed')
  async update(@CurrentUser() user: SessionUser, @Body() body: UpdateEmailSettingsDto): Promise<EmailSettingsDto> {
    await this.dataSource.query(
      `INSERT INTO notification_settings (user_id, email_events) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET email_events = EXCLUDED.email_events`,
      [user.id, body.email_events],
    );
    return this.get(user);
  }
}
