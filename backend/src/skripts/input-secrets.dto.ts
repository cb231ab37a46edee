import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';
import { JsonField, StringField, UuidField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { INPUT_NAME_CHARS, INPUT_SECRET_NAME } from './names.js';

const name = {
  description: 'Begins with `inputSecret` and ends with `.json`; unique in its skript, in any case.',
  example: 'inputSecret.json',
  min: 1,
  max: INPUT_NAME_CHARS,
  pattern: INPUT_SECRET_NAME,
  expected: 'a text that begins with inputSecret and ends with .json, such as inputSecret-shop.json',
};
const val = {
  description: 'Any JSON value: the second argument of main.js. It is encrypted, and no answer has it.',
  example: { password: '…' },
};

export class CreateInputSecretDto {
  @UuidField({ description: 'The skript it belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @JsonField(val)
  val!: unknown;
}

@IgnoredFields('id', 'has_val', 'created_at', 'updated_at')
export class UpdateInputSecretDto {
  @UuidField({ description: 'The skript it belongs to; cannot change.', optional: true })
  skript_id?: string;

  @StringField({ ...name, optional: true })
  name?: string;

  @JsonField({ ...val, description: `${val.description} Not sent: it stays as it is.`, optional: true })
  val?: unknown;
}

export class InputSecretDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'inputSecret.json' })
  name!: string;
  @ApiProperty({ description: 'Stands for the value, which is never answered.' })
  has_val!: true;
}
