import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, IntField, StringField } from '../../../platform/http/fields.js';
import { MAX_LIMIT, MAX_SKIP } from '../../../platform/http/lists/list-query.js';

/** Collections are sorted by name. */
export class MongoCollectionsQuery {
  @IntField({
    description: 'Maximum number of collections to return.',
    min: 1,
    max: MAX_LIMIT,
    default: 50,
    optional: true,
  })
  limit = 50;

  @IntField({ description: 'Number of collections to skip.', min: 0, max: MAX_SKIP, default: 0, optional: true })
  skip = 0;

  @StringField({
    description: 'Only collections whose name contains this text. Upper and lower case are the same.',
    max: 255,
    optional: true,
  })
  name_contains?: string;
}

/** More than a name may have, so that a name that is too long gets the error message of `collectionNameProblem`. */
const NAME_CHARS = 300;

const newName = {
  description: 'New name, unique in the database.',
  example: 'books-2026',
  max: NAME_CHARS,
};

export class NewMongoCollectionDto {
  @StringField(newName)
  name!: string;
}

export class RenameMongoCollectionDto {
  @StringField(newName)
  to!: string;
}

export class CopyMongoCollectionDto {
  @StringField({ description: 'Name of the copy, in the same database.', example: 'books-2026', max: NAME_CHARS })
  to!: string;

  @BooleanField({
    description: 'Replace an existing collection of this name once the copy is complete.',
    optional: true,
    default: false,
  })
  overwrite = false;
}

export class MongoCollectionDto {
  @ApiProperty({ example: 'books' })
  name!: string;

  @ApiProperty({ description: 'Number of documents.', type: 'integer', example: 1000 })
  count!: number;

  @ApiProperty({
    description: 'Size of the documents before compression, in bytes.',
    type: 'integer',
    example: 182_400,
  })
  size!: number;
}

export class MongoCollectionDetailsDto extends MongoCollectionDto {
  @ApiProperty({ description: 'Size of the documents on disk, in bytes.', type: 'integer', example: 81_920 })
  storage_size!: number;

  @ApiProperty({ description: 'Number of indexes.', type: 'integer', example: 2 })
  indexes!: number;

  @ApiProperty({ description: 'Size of the indexes on disk, in bytes.', type: 'integer', example: 40_960 })
  index_size!: number;
}
