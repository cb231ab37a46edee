import { ApiProperty } from '@nestjs/swagger';
import { KEY_SCOPES, type KeyScope } from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { DateTimeField, EnumField, StringField } from '../../platform/http/fields.js';
import { VisibleName } from '../../platform/http/file-name.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../platform/http/updates/ignored-fields.js';

const NAME = {
  description: 'Name of the key, unique among your keys.',
  example: 'nightly import',
  min: 1,
  max: 100,
  pattern: /\S/,
  expected: 'text with at least one visible character',
};
const SCOPE =
  'What the key may do. `read`: GET requests, aggregations, and SQL that only reads. `run`: also start, stop, pause and resume runs. `all`: everything the account may do, except manage keys, passwords and sessions.';

export class CreateApiKeyDto {
  @StringField(NAME)
  @VisibleName()
  name!: string;

  @EnumField(KEY_SCOPES, { description: SCOPE, example: 'run' })
  scope!: KeyScope;

  @DateTimeField({
    description: 'When the key expires. Null or omitted: never.',
    example: '2030-01-01T00:00:00.000Z',
    optional: true,
    nullable: true,
  })
  expires_at?: string | null;
}

@IgnoredFields('id', 'created_at', 'updated_at', 'scope', 'expires_at', 'last_used_at', 'revoked_at')
export class UpdateApiKeyDto extends ChangesOf(CreateApiKeyDto, { without: ['scope', 'expires_at'] }) {}

export class ApiKeyDto extends EntityDto {
  @ApiProperty({ example: 'nightly import' })
  name!: string;
  @ApiProperty({ enum: KEY_SCOPES, description: SCOPE, example: 'run' })
  scope!: KeyScope;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key expires. Null: never.',
    example: '2030-01-01T00:00:00.000Z',
  })
  expires_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key was last used, to the minute. Null: never.',
    example: '2026-02-15T09:30:00.000Z',
  })
  last_used_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When you revoked the key. Revoked keys stay listed for 30 days. Null: not revoked.',
    example: null,
  })
  revoked_at!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({
    description: 'The key: send it as `Authorization: Bearer <key>`. Only this response contains it.',
    example: 'trk_…',
  })
  key!: string;
}
