import { ApiProperty } from '@nestjs/swagger';
import { KEY_SCOPES, type KeyScope } from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { DateTimeField, EnumField, StringField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';

const NAME = {
  description: 'What it is for; none of your other keys may have the name.',
  example: 'nightly import',
  min: 1,
  max: 100,
  pattern: /\S/,
  expected: 'a text of more than blanks',
};
const SCOPE =
  '`read`: GET. `run`: also starting, stopping, pausing and resuming runs. `all`: whatever its account may do, but for keys, passwords and sessions.';

export class CreateApiKeyDto {
  @StringField(NAME)
  name!: string;

  @EnumField(KEY_SCOPES, { description: SCOPE, example: 'run' })
  scope!: KeyScope;

  @DateTimeField({
    description: 'From when on it is worth nothing; null or left out: never.',
    example: '2030-01-01T00:00:00.000Z',
    optional: true,
    nullable: true,
  })
  expires_at?: string | null;
}

@IgnoredFields('id', 'created_at', 'updated_at', 'scope', 'expires_at', 'last_used_at', 'revoked_at')
export class UpdateApiKeyDto {
  @StringField({ ...NAME, optional: true })
  name?: string;
}

export class ApiKeyDto extends EntityDto {
  @ApiProperty({ example: 'nightly import' })
  name!: string;
  @ApiProperty({ enum: KEY_SCOPES, description: SCOPE, example: 'run' })
  scope!: KeyScope;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'From when on it is worth nothing; null: never.',
    example: '2030-01-01T00:00:00.000Z',
  })
  expires_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'To the minute; null: never used.',
    example: '2026-02-15T09:30:00.000Z',
  })
  last_used_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when it is worth nothing because you revoked it. It is listed for 30 more days.',
    example: null,
  })
  revoked_at!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key: send it as `Authorization: Bearer <key>`. Shown only in this answer.',
    example: 'trk_…',
  })
  key!: string;
}
