import { ApiProperty, OmitType } from '@nestjs/swagger';
import { EntityDto } from '../../../platform/common/entity.js';
import { ANY_JSON, JsonField, StringField } from '../../../platform/http/fields.js';
import { SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { ChangesOf } from '../../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../../platform/http/updates/ignored-fields.js';
import { INPUT_NAME, INPUT_NAME_CHARS, INPUT_NAME_EXPECTED } from '../names.js';

const name = {
  description:
    'Must begin with `input`, but not `inputSecret` in any case, and end with `.json`. Unique in the skript, ignoring case.',
  example: 'input.json',
  min: 1,
  max: INPUT_NAME_CHARS,
  pattern: INPUT_NAME,
  expected: INPUT_NAME_EXPECTED,
};
const val = { description: 'Any JSON value: the first argument of main.js.', example: { url: 'https://example.com' } };

export class CreateInputDto {
  @SkriptIdField({ description: 'The skript that the input belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @JsonField(val)
  val!: unknown;
}

@IgnoredFields('id', 'created_at', 'updated_at')
export class UpdateInputDto extends ChangesOf(CreateInputDto, { without: ['skript_id'] }) {
  @SkriptIdField({ description: 'The skript that the input belongs to. Cannot change.', optional: true })
  skript_id?: string;
}

export class InputDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'input.json' })
  name!: string;
  @ApiProperty({ description: 'Any JSON value. Not included in lists.', ...ANY_JSON, example: val.example })
  val!: unknown;
}

/** An item of a list. */
export class ListedInputDto extends OmitType(InputDto, ['val']) {}
