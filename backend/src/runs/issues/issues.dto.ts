import { ApiProperty } from '@nestjs/swagger';
import { ISSUE_STATUSES, type IssueStatus, RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { EnumField, UuidField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { HASH_EXAMPLE } from '../skripts/versions/version-hash.js';

const RUN_ID = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

export class IssuesListQuery extends ListQuery {
  @UuidField({ description: 'Only issues of this skript.', optional: true })
  skript_id?: string;

  @EnumField(ISSUE_STATUSES, { description: 'Only issues with this status.', optional: true })
  status?: IssueStatus;
}

export class AllIssuesQuery extends IssuesListQuery {
  @UuidField({ description: 'Only issues of this account.', optional: true })
  user_id?: string;
}

export class UpdateIssueDto {
  @EnumField(ISSUE_STATUSES, {
    description: '`resolved`: a new failure opens the issue again. `muted`: it stays muted, and only counts failures.',
  })
  status!: IssueStatus;
}

class IssueSkriptDto {
  @ApiProperty({ format: 'uuid', example: RUN_ID })
  id!: string;
  @ApiProperty({ example: 'Books' })
  name!: string;
}

class IssueOwnerDto {
  @ApiProperty({ format: 'uuid', example: RUN_ID })
  id!: string;
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
}

/** Failed runs of a skript with the same cause. */
export class IssueDto extends EntityDto {
  @ApiProperty()
  skript!: IssueSkriptDto;
  @ApiProperty({ enum: Object.keys(RUN_ERRORS), example: 'exception' })
  error_code!: RunErrorCode;
  @ApiProperty({
    description: 'First line of the latest error. Empty if the error has no text.',
    example: "TypeError: Cannot read properties of undefined (reading 'text')",
  })
  message!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'First frame of the latest error that is in a file of the skript.',
    example: 'parse (main.js:12:18)',
  })
  frame!: string | null;
  @ApiProperty({ enum: ISSUE_STATUSES })
  status!: IssueStatus;
  @ApiProperty({
    type: 'integer',
    description: 'Number of failed runs, including those that you have deleted since.',
    example: 3,
  })
  runs!: number;
  @ApiProperty({ format: 'uuid', example: RUN_ID })
  first_run_id!: string;
  @ApiProperty({ format: 'uuid', example: RUN_ID })
  last_run_id!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the version with which it began. Null if the run failed before its version was built.',
    example: HASH_EXAMPLE,
  })
  first_version!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of this version. Null after it was deleted.',
    example: 14,
  })
  first_version_number!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the version of the latest failure.',
    example: HASH_EXAMPLE,
  })
  last_version!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of this version. Null after it was deleted.',
    example: 14,
  })
  last_version_number!: number | null;
  @ApiProperty({ format: 'date-time' })
  first_seen_at!: string;
  @ApiProperty({ format: 'date-time' })
  last_seen_at!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a failure last opened the resolved issue again; null if that never happened.',
  })
  reopened_at!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the version whose failure last opened the resolved issue again.',
    example: HASH_EXAMPLE,
  })
  reopened_version!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of this version. Null after it was deleted.',
    example: 14,
  })
  reopened_version_number!: number | null;
}

/** An issue as administrators see it. */
export class PlatformIssueDto extends IssueDto {
  @ApiProperty()
  owner!: IssueOwnerDto;
}
