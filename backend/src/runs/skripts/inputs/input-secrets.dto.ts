import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../../platform/common/entity.js';
import { JsonField, StringField } from '../../../platform/http/fields.js';
import { SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { ChangesOf } from '../../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../../platform/http/updates/ignored-fields.js';
import { INPUT_NAME_CHARS, INPUT_SECRET_NAME, INPUT_SECRET_NAME_EXPECTED } from '../names.js';

const name = {
  description: 'Must begin with `inputSecret` and end with `.json`. Unique in the skript, ignoring case.',
  example: 'inputSecret.json',
  min: 1,
  max: INPUT_NAME_CHARS,
  pattern: INPUT_SECRET_NAME,
  expected: INPUT_SECRET_NAME_EXPECTED,
};
const val = {
  description: 'Any JSON value: the second argument of main.js. Stored encrypted and never returned.',
  example: { password: '…' },
};

export class CreateInputSecretDto {
  @SkriptIdField({ description: 'The skript that the secret belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @JsonField(val)
  val!: unknown;
}

@IgnoredFields('id', 'has_val', 'created_at', 'updated_at')
export class UpdateInputSecretDto extends ChangesOf(CreateInputSecretDto, { without: ['skript_id', 'val'] }) {
  @SkriptIdField({ description: 'The skript that the secret belongs to. Cannot change.', optional: true })
  skript_id?: string;

  @JsonField({ ...val, description: `${val.description} Omit it to keep the stored value.`, optional: true })
  val?: unknown;
}

export class InputSecretDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'inputSecret.json' })
  name!: string;
  @ApiProperty({ description: 'Always true, in place of the value.' })
  has_val!: true;
}
