import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';
import { DateTimeField, StringField, UuidField } from '../http/fields.js';
import { ListQuery } from '../http/lists/list-query.js';

export class OwnAuditQuery extends ListQuery {
  @StringField({
    description: 'Only entries of this operation (`operationId`).',
    example: 'deleteSkript',
    min: 1,
    max: 100,
    optional: true,
  })
  action?: string;

  @StringField({ description: 'Only entries about the resource with this id.', min: 1, max: 500, optional: true })
  target_id?: string;

  @DateTimeField({ description: 'Only entries at or after this time.', optional: true })
  from?: string;

  @DateTimeField({ description: 'Only entries before this time.', optional: true })
  to?: string;
}

export class AuditQuery extends OwnAuditQuery {
  @UuidField({ description: 'Only entries of this account.', optional: true })
  user_id?: string;
}

class AuditUserDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'User name at that time.', example: 'ada@example.com' })
  username!: string;
}

class AuditKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'Name of the API key at that time.', example: 'nightly import' })
  name!: string;
}

class AuditTargetDto {
  @ApiProperty({ description: 'Kind of the resource.', example: 'skript' })
  kind!: string;
  @ApiProperty({
    description:
      'Id of the resource. For nested resources, the ids of the outer ones come first, separated by slashes. If a call deleted many resources, the ids of at most five of them, separated by commas.',
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  })
  id!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the resource, or its last name if it is deleted. Null if it has none.',
    example: 'Books catalogue',
  })
  name!: string | null;
}

export class AuditEntryDto extends EntityDto {
  @ApiProperty({
    type: AuditUserDto,
    nullable: true,
    description: 'The user who made the call. For a login, the account that was tried; null if it does not exist.',
  })
  user!: AuditUserDto | null;
  @ApiProperty({ type: AuditKeyDto, nullable: true, description: 'The API key of the call. Null for a session.' })
  key!: AuditKeyDto | null;
  @ApiProperty({ description: 'The operation (`operationId`).', example: 'updateSkript' })
  action!: string;
  @ApiProperty({ type: AuditTargetDto, nullable: true, description: 'The resource that the call acted on.' })
  target!: AuditTargetDto | null;
  @ApiProperty({
    type: [String],
    description: 'Names of the fields in the request body, without their values.',
    example: ['category'],
  })
  fields!: string[];
  @ApiProperty({
    type: 'integer',
    description: 'HTTP status of the response. The audit log records failed calls only for logins.',
    example: 200,
  })
  status!: number;
  @ApiProperty({ description: 'IP address that the call came from.', example: '203.0.113.7' })
  ip!: string;
}
