import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, StringField } from '../http/fields.js';

const MESSAGE = {
  description: 'Text for all users.',
  example: 'We move to a larger database. Your runs start afterwards.',
  min: 1,
  max: 500,
  pattern: /\S/,
  expected: 'text with at least one visible character',
};
const UNTIL = {
  description: 'When the maintenance ends automatically. Null if it lasts until an administrator ends it.',
};

export class StartMaintenanceDto {
  @StringField(MESSAGE)
  message!: string;

  @DateTimeField({ ...UNTIL, example: '2030-01-01T00:00:00.000Z', optional: true, nullable: true })
  until?: string | null;
}

export class MaintenanceDto {
  @ApiProperty({ description: MESSAGE.description, example: MESSAGE.example })
  message!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: UNTIL.description,
    example: '2030-01-01T00:00:00.000Z',
  })
  until!: string | null;
  @ApiProperty({
    format: 'date-time',
    description: 'When the maintenance started.',
    example: '2026-02-15T09:30:00.000Z',
  })
  started_at!: string;
}
