import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../../platform/common/entity.js';
import { BooleanField, StringField } from '../../../platform/http/fields.js';
import { ListQuery } from '../../../platform/http/lists/list-query.js';
import { IgnoredFields } from '../../../platform/http/updates/ignored-fields.js';

const NAME = {
  description:
    'Name of the database, also in skripts. Use letters and digits, with `-`, `_`, `.` or spaces between them.',
  example: 'prices',
  min: 1,
  max: 60,
  pattern: /^[\p{L}\p{N}]([\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u,
  expected: 'letters and digits, with only - _ . and spaces between them',
};
const SHARED = 'Whether all accounts may read the database. Only administrators share databases.';

@IgnoredFields(
  'id',
  'collections',
  'documents',
  'size',
  'storage_size',
  'created_at',
  'updated_at',
  'shared',
  'read_only',
)
export class MongoDatabaseNameDto {
  @StringField(NAME)
  name!: string;
}

@IgnoredFields('id', 'collections', 'documents', 'size', 'storage_size', 'created_at', 'updated_at', 'read_only')
export class UpdateMongoDatabaseDto {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @BooleanField({ description: SHARED, optional: true })
  shared?: boolean;
}

export class MongoDatabasesQuery extends ListQuery {
  @BooleanField({
    description: '`true`: the databases that administrators share with all accounts, instead of your own.',
    default: false,
    optional: true,
  })
  shared = false;
}

export class MongoDatabaseDto extends EntityDto {
  @ApiProperty({ example: 'main' })
  name!: string;

  @ApiProperty({ description: SHARED, example: false })
  shared!: boolean;

  @ApiProperty({
    description: 'Whether the database belongs to another account, so that you can only read it.',
    example: false,
  })
  read_only!: boolean;
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
