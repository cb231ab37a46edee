import { ApiProperty, OmitType } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { StringField, UuidField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { ListQuery } from '../common/list-query.js';
import { FILE_NAME_CHARS } from './names.js';

const name = {
  description: 'Unique in its skript, in any case; may have folders.',
  example: 'lib/parse.js',
  min: 1,
  max: FILE_NAME_CHARS,
};
/** The limit in bytes is the service's, which answers 413; no text within it has more characters. */
const content = { description: `The text of the file, up to ${LIMITS.fileBytes} bytes.`, max: Number.MAX_SAFE_INTEGER };

export class CreateSkriptFileDto {
  @UuidField({ description: 'The skript it belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @StringField(content)
  content!: string;
}

@IgnoredFields('id', 'size', 'created_at', 'updated_at')
export class UpdateSkriptFileDto {
  @UuidField({ description: 'The skript it belongs to; cannot change.', optional: true })
  skript_id?: string;

  @StringField({ ...name, optional: true })
  name?: string;

  @StringField({ ...content, optional: true })
  content?: string;
}

/** What the lists of files, inputs and input secrets take. */
export class SkriptPartsQuery extends ListQuery {
  @UuidField({ description: 'Only those of this skript.', optional: true })
  skript_id?: string;

  @StringField({
    description: 'Only those whose name has this in it, in any case.',
    max: FILE_NAME_CHARS,
    optional: true,
  })
  name_contains?: string;
}

export class SkriptFileDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'main.js' })
  name!: string;
  @ApiProperty({ description: 'Left out of lists.' })
  content!: string;
  @ApiProperty({ type: 'integer', description: 'In bytes.' })
  size!: number;
}

/** As a list answers it. */
export class ListedSkriptFileDto extends OmitType(SkriptFileDto, ['content']) {}
