import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../common/entity.js';
import { StringField } from '../../http/fields.js';
import { IgnoredFields } from '../../http/ignored-fields.js';

@IgnoredFields('id', 'collections', 'documents', 'size', 'storage_size', 'created_at', 'updated_at')
export class MongoDatabaseNameDto {
  @StringField({
    description:
      'Name of the database, also in skripts. Use letters and digits, with `-`, `_`, `.` or spaces between them.',
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
  @ApiProperty({ description: 'Number of collections.', type: 'integer', example: 3 })
  collections!: number;

  @ApiProperty({ description: 'Number of documents in all collections.', type: 'integer', example: 1000 })
  documents!: number;

  @ApiProperty({
    description: 'Size of the documents before compression, in bytes.',
    type: 'integer',
    example: 182_400,
  })
  size!: number;

  @ApiProperty({ description: 'Size of documents and indexes on disk, in bytes.', type: 'integer', example: 122_880 })
  storage_size!: number;
}
