import { ApiProperty, OmitType } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { EntityDto } from '../../../platform/common/entity.js';
import { StringField } from '../../../platform/http/fields.js';
import { SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { ChangesOf } from '../../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../../platform/http/updates/ignored-fields.js';
import { FILE_NAME_CHARS } from '../names.js';

const name = {
  description: 'Path inside the skript. Unique in the skript, ignoring case.',
  example: 'lib/parse.js',
  min: 1,
  max: FILE_NAME_CHARS,
};
/** Validation has no limit here: the service checks the size in bytes and refuses larger texts with 413. */
const content = { description: `Text of the file, up to ${LIMITS.fileBytes} bytes.`, max: Number.MAX_SAFE_INTEGER };

export class CreateSkriptFileDto {
  @SkriptIdField({ description: 'The skript that the file belongs to.' })
  skript_id!: string;

  @StringField(name)
  name!: string;

  @StringField(content)
  content!: string;
}

@IgnoredFields('id', 'size', 'created_at', 'updated_at')
export class UpdateSkriptFileDto extends ChangesOf(CreateSkriptFileDto, { without: ['skript_id'] }) {
  @SkriptIdField({ description: 'The skript that the file belongs to. Cannot change.', optional: true })
  skript_id?: string;
}

export class SkriptFileDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ example: 'main.js' })
  name!: string;
  @ApiProperty({ description: 'Not included in lists.' })
  content!: string;
  @ApiProperty({ type: 'integer', description: 'In bytes.' })
  size!: number;
  @ApiProperty({
    description:
      'SHA-256 of the content, for the header `If-Match` of a change. The header `ETag` of a response has it in quotes. Not included in lists.',
    example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  })
  hash!: string;
}

/** An item of a list. */
export class ListedSkriptFileDto extends OmitType(SkriptFileDto, ['content', 'hash']) {}
