import { ApiProperty } from '@nestjs/swagger';
import { DELIVERY_STATES, type DeliveryState, EVENT_TYPES, type EventType } from '@trawl/contracts';
import { EntityDto } from '../../common/entity.js';
import { BooleanField, EnumField, StringField } from '../../http/fields.js';
import { VisibleName } from '../../http/file-name.js';
import { ListQuery } from '../../http/lists/list-query.js';
import { SkriptIdField } from '../../http/names/named-ids.js';
import { ChangesOf } from '../../http/updates/changes-of.js';
import { IgnoredFields } from '../../http/updates/ignored-fields.js';
import { EventsField } from '../events-field.js';

const NAME = {
  description: 'Name of the webhook, unique among your webhooks.',
  example: 'on-call chat',
  min: 1,
  max: 100,
  pattern: /\S/,
  expected: 'text with at least one visible character',
};
/** URL of a webhook whose deliveries Trawl only keeps in the log. */
export const LOG_URL = 'trawl:log';
const URL_FIELD = {
  description: `Address that receives the events by POST. It must use https and have a public address, unless the operator allows others with \`TRAWL_OUTGOING_ALLOW\`. With \`${LOG_URL}\`, Trawl sends nothing and keeps the deliveries for you to read.`,
  example: 'https://receiver.example.com/trawl',
  min: 1,
  max: 2_000,
  pattern: /^(?:https?:\/\/\S+|trawl:log)$/,
  expected: 'a URL such as https://receiver.example.com/trawl',
};
const EVENTS_FIELD = { description: 'The events to send.', minItems: 1 } as const;
const SKRIPT_FIELD = {
  description: 'Sends only events of this skript: of its runs and schedules. The webhook is deleted with the skript.',
  optional: true,
};
const ENABLED = { description: 'Whether events are sent. A disabled webhook misses the events of that time.' };

export class CreateWebhookDto {
  @StringField(NAME)
  @VisibleName()
  name!: string;

  @StringField(URL_FIELD)
  url!: string;

  @EventsField(EVENTS_FIELD)
  events!: EventType[];

  @SkriptIdField(SKRIPT_FIELD)
  skript_id?: string;
}

@IgnoredFields('id', 'created_at', 'updated_at', 'disabled_reason', 'failing_since', 'secret')
export class UpdateWebhookDto extends ChangesOf(CreateWebhookDto, { clearable: ['skript_id'] }) {
  @BooleanField({ ...ENABLED, optional: true })
  enabled?: boolean;
}

export class WebhookDto extends EntityDto {
  @ApiProperty({ example: 'on-call chat' })
  name!: string;
  @ApiProperty({ description: URL_FIELD.description, example: URL_FIELD.example })
  url!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: EVENT_TYPES },
    description: 'The events that the webhook sends.',
    example: ['run.failed', 'schedule.missed'],
  })
  events!: EventType[];
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the skript whose events the webhook sends; null for the events of the whole account.',
    example: null,
  })
  skript_id!: string | null;
  @ApiProperty({ description: ENABLED.description, example: true })
  enabled!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why Trawl disabled the webhook; null if it did not. Enabling the webhook clears it.',
    example: null,
  })
  disabled_reason!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Since when every attempt has failed; null if the last one succeeded. After three days Trawl disables the webhook and e-mails you.',
    example: null,
  })
  failing_since!: string | null;
}

export class WebhookWithSecretDto extends WebhookDto {
  @ApiProperty({
    description: 'Secret that signs the deliveries. Store it now: no other response contains it.',
    example: 'whsec_…',
  })
  secret!: string;
}

export class DeliveriesListQuery extends ListQuery {
  @EnumField(DELIVERY_STATES, { description: 'Only deliveries in this state.', optional: true })
  state?: DeliveryState;
}

/** One event on its way to a webhook. The receiver gets `id` as the header `webhook-id`. */
export class WebhookDeliveryDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  webhook_id!: string;
  @ApiProperty({ enum: [...EVENT_TYPES, 'test'], description: 'Type of the event.', example: 'run.failed' })
  event!: EventType | 'test';
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The body that the receiver gets.',
    example: { type: 'run.failed', timestamp: '2026-02-15T09:30:00.000Z', data: {} },
  })
  payload!: object;
  @ApiProperty({
    enum: DELIVERY_STATES,
    description:
      '`pending`: waits for its first or next attempt. `delivered`: the receiver answered with a 2xx status, or the webhook only keeps its deliveries. `failed`: no attempt follows.',
    example: 'delivered',
  })
  state!: DeliveryState;
  @ApiProperty({ type: 'integer', description: 'Number of attempts.', example: 1 })
  attempts!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next attempt is due. Null unless the state is `pending`.',
    example: null,
  })
  next_attempt_at!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last attempt. Null if there was no answer.',
    example: 204,
  })
  response_status!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The first 1,000 bytes of the last answer.',
    example: '',
  })
  response_body!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Time until the receiver answered the last attempt, in ms.',
    example: 84,
  })
  duration_ms!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the last attempt failed.', example: null })
  error!: string | null;
}

export class DeliveryRequestDto {
  @ApiProperty({ description: 'URL of the webhook.', example: URL_FIELD.example })
  url!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The headers. The signature is new, so that a receiver accepts it now.',
    example: { 'webhook-id': '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', 'webhook-signature': 'v1,…' },
  })
  headers!: Record<string, string>;
  @ApiProperty({ description: 'The body, exactly as it is signed.', example: '{"type":"test","data":{}}' })
  body!: string;
}
