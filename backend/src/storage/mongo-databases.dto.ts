import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';
import { StringField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';

@IgnoredFields('id', 'collections', 'documents', 'size', 'storage_size', 'created_at', 'updated_at')
export class MongoDatabaseNameDto {
  @StringField({
    description: 'Your word for it, as skripts call it too: letters, digits, and `-`, `_`, `.` or spaces between them.',
    example: 'prices',
    min: 1,
    max: 60,
    pattern: /^[\p{L}\p{N}]([\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u,
    expected: 'letters and digits, with only - _ . and spaces between them',
  })
  name!: string;
}

export class MongoDatabaseDto extends EntityDto {
  @ApiProperty({ example: 'main' })
  name!: string;
}

export class MongoDatabaseDetailsDto extends MongoDatabaseDto {
  @ApiProperty({ description: 'How many collections it has.', type: 'integer', example: 3 })
  collections!: number;

  @ApiProperty({ description: 'How many documents they have together.', type: 'integer', example: 1000 })
  documents!: number;

  @ApiProperty({ description: 'Bytes of its documents, before compression.', type: 'integer', example: 182_400 })
  size!: number;

  @ApiProperty({ description: 'Bytes on disk of its documents and indexes.', type: 'integer', example: 122_880 })
  storage_size!: number;
}
