import { ApiProperty } from '@nestjs/swagger';
import { StringField } from '../../../platform/http/fields.js';
import { ListQuery } from '../../../platform/http/lists/list-query.js';
import { SkriptDto } from '../skripts.dto.js';
import { HASH_EXAMPLE } from './version-hash.js';
import { NUMBER_DESCRIPTION } from './version-number.js';

const HASH_OR_CURRENT = {
  pattern: /^([0-9a-f]{64}|current)$/,
  expected: 'the hash of a version, or current for the current files',
  max: 64,
};

export class VersionsQuery extends ListQuery {
  @StringField({
    description: 'Fields to sort by: `built_at`, `created_at`. Prefix one with `-` for descending order.',
    example: '-built_at',
    max: 200,
    optional: true,
  })
  override sort?: string;
}

class BuilderDto {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  id!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the account was deleted.', example: 'developer' })
  username!: string | null;
}

export class VersionDto {
  @ApiProperty({ description: 'SHA-256 of the bundle, in hex. Changes with any file.', example: HASH_EXAMPLE })
  hash!: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: `${NUMBER_DESCRIPTION} Null if an older backend built it during an update.`,
    example: 14,
  })
  number!: number | null;
  @ApiProperty({ type: 'integer', description: 'Size of the bundle, in bytes.', example: 2_310 })
  size!: number;
  @ApiProperty({ description: 'User who built it most recently.' })
  built_by!: BuilderDto;
  @ApiProperty({
    format: 'date-time',
    description: 'Time of the most recent build.',
    example: '2026-02-15T09:30:00.000Z',
  })
  built_at!: string;
  @ApiProperty({ type: 'integer', description: 'How many times these files were built.', example: 1 })
  builds!: number;
  @ApiProperty({ format: 'date-time', description: 'Time of the first build.', example: '2026-02-15T09:30:00.000Z' })
  created_at!: string;
  @ApiProperty({
    description:
      'True if runs execute this version. If the skript’s files have changed after this version was built, the skript is `stale`.',
    example: true,
  })
  current!: boolean;
}

class VersionFileDto {
  @ApiProperty({ example: 'main.js' })
  name!: string;
  @ApiProperty({ type: 'integer', description: 'In bytes.', example: 41 })
  size!: number;
  @ApiProperty({ example: 'module.exports = async input => input;\n' })
  content!: string;
}

export class VersionWithFilesDto extends VersionDto {
  @ApiProperty({ type: [VersionFileDto] })
  files!: VersionFileDto[];
}

export class CompareQuery {
  @StringField({
    ...HASH_OR_CURRENT,
    description: 'Older side: the hash of a version, or `current` for the current files.',
    example: HASH_EXAMPLE,
  })
  from!: string;

  @StringField({
    ...HASH_OR_CURRENT,
    description: 'Newer side: the hash of a version, or `current` for the current files.',
    example: 'current',
  })
  to!: string;
}

export const FILE_CHANGES = ['added', 'removed', 'changed'] as const;

export class ComparedFileDto {
  @ApiProperty({ example: 'main.js' })
  name!: string;
  @ApiProperty({ enum: FILE_CHANGES, example: 'changed' })
  change!: (typeof FILE_CHANGES)[number];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Size in bytes; null if the file does not exist on this side.',
    example: 41,
  })
  from_size!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Size in bytes; null if the file does not exist on this side.',
    example: 58,
  })
  to_size!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Unified diff; null if the change is too large. To see the contents, get both versions.',
    example: '--- a/main.js\n+++ b/main.js\n@@ -1,1 +1,1 @@\n-module.exports = () => 1;\n+module.exports = () => 2;\n',
  })
  diff!: string | null;
}

export class ComparisonDto {
  @ApiProperty({ example: HASH_EXAMPLE })
  from!: string;
  @ApiProperty({ example: 'current' })
  to!: string;
  @ApiProperty({ type: 'integer', description: 'Number of files that are equal on both sides.', example: 2 })
  unchanged!: number;
  @ApiProperty({ type: [ComparedFileDto], description: 'Files that differ, sorted by name.' })
  files!: ComparedFileDto[];
}

export class ChangesDto {
  @ApiProperty({ type: 'integer', example: 1 })
  added!: number;
  @ApiProperty({ type: 'integer', example: 1 })
  changed!: number;
  @ApiProperty({ type: 'integer', example: 3 })
  unchanged!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  removed!: number;
}

export class RestoredDto {
  @ApiProperty()
  skript!: SkriptDto;
  @ApiProperty({ description: 'Number of files by change.' })
  files!: ChangesDto;
}
