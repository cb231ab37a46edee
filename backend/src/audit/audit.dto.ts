import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';
import { DateTimeField, StringField, UuidField } from '../common/fields.js';
import { ListQuery } from '../common/list-query.js';

export class OwnAuditQuery extends ListQuery {
  @StringField({
    description: 'Only this operation, by its operationId.',
    example: 'deleteSkript',
    min: 1,
    max: 100,
    optional: true,
  })
  action?: string;

  @StringField({ description: 'Only what happened to the thing with this id.', min: 1, max: 500, optional: true })
  target_id?: string;

  @DateTimeField({ description: 'Only from this moment on.', optional: true })
  from?: string;

  @DateTimeField({ description: 'Only before this moment.', optional: true })
  to?: string;
}

export class AuditQuery extends OwnAuditQuery {
  @UuidField({ description: 'Only what this account did.', optional: true })
  user_id?: string;
}

class AuditUserDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'Its name at that time.', example: 'ada@example.com' })
  username!: string;
}

class AuditKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'Its name at that time.', example: 'nightly import' })
  name!: string;
}

class AuditTargetDto {
  @ApiProperty({ description: 'What kind of thing.', example: 'skript' })
  kind!: string;
  @ApiProperty({
    description: 'Its id; of a thing within others, theirs before it, each with a slash between.',
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  })
  id!: string;
}

export class AuditEntryDto extends EntityDto {
  @ApiProperty({
    type: AuditUserDto,
    nullable: true,
    description: 'Whose call it was; of a login, whose account was tried. Null: there is no such account.',
  })
  user!: AuditUserDto | null;
  @ApiProperty({ type: AuditKeyDto, nullable: true, description: 'The API key that the call came with; null: none.' })
  key!: AuditKeyDto | null;
  @ApiProperty({ description: 'The operation, by its operationId.', example: 'updateSkript' })
  action!: string;
  @ApiProperty({ type: AuditTargetDto, nullable: true, description: 'To what it was done.' })
  target!: AuditTargetDto | null;
  @ApiProperty({
    type: [String],
    description: 'Names of the fields that were sent; never what was in them.',
    example: ['category'],
  })
  fields!: string[];
  @ApiProperty({ type: 'integer', description: 'Of the answer. Only logins are here when they failed.', example: 200 })
  status!: number;
  @ApiProperty({ description: 'The address that the call came from.', example: '203.0.113.7' })
  ip!: string;
}
