import { ApiProperty, OmitType } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';
import { ANY_JSON, JsonField, StringField, UuidField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { INPUT_NAME, INPUT_NAME_CHARS, INPUT_NAME_EXPECTED } from './names.js';

const name = {
  description:
    'Begins with `input`, but not with `inputSecret` in any case, and ends with `.json`; unique in its skript, in any case.',
  example: 'input.json',
  min: 1,
  max: INPUT_NAME_CHARS,
  pattern: INPUT_NAME,
  expected: INPUT_NAME_EXPECTED,
};
const val = { description: 'Any JSON value: the first argument of main.js.', example: { url: 'https://example.com' } };

export class CreateInputDto {
  @UuidField({ description: 'The skript it belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @JsonField(val)
  val!: unknown;
}

@IgnoredFields('id', 'created_at', 'updated_at')
export class UpdateInputDto {
  @UuidField({ description: 'The skript it belongs to; cannot change.', optional: true })
  skript_id?: string;

  @StringField({ ...name, optional: true })
  name?: string;

  @JsonField({ ...val, optional: true })
  val?: unknown;
}

export class InputDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'input.json' })
  name!: string;
  @ApiProperty({ description: 'Any JSON value. Left out of lists.', ...ANY_JSON, example: val.example })
  val!: unknown;
}

/** As a list answers it. */
export class ListedInputDto extends OmitType(InputDto, ['val']) {}
