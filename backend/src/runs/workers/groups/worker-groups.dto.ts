import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../../../platform/common/entity.js';
import { BooleanField, StringField } from '../../../platform/http/fields.js';
import { ChangesOf } from '../../../platform/http/updates/changes-of.js';

const NAME = {
  description: 'Unique name of the group. New workers are called after it: `paris-1`, `paris-2`, …',
  example: 'paris',
  min: 1,
  // The names of its workers may have 60 characters.
  max: 50,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  expected: 'letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
};
const PUBLIC = {
  description: 'Whether every user can see and choose the workers of the group.',
  example: true,
  optional: true,
};

export class NewWorkerGroupDto {
  @StringField(NAME)
  name!: string;

  @BooleanField({ ...PUBLIC, default: false })
  public = false;
}

export class UpdateWorkerGroupDto extends ChangesOf(NewWorkerGroupDto) {}

export class WorkerGroupDto extends EntityDto {
  @ApiProperty({ example: 'paris' })
  name!: string;
  @ApiProperty({ description: 'Whether new workers of the group are public.' })
  public!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Number of workers of the group, including disconnected workers that are not retired yet.',
    example: 5,
  })
  workers!: number;
  @ApiProperty({ type: 'integer', description: 'Number of workers of the group that are connected.', example: 5 })
  connected!: number;
}

export class WorkerGroupKeyDto extends WorkerGroupDto {
  @ApiProperty({
    description:
      'Key of the group. Set it as `TRAWL_WORKER_KEY` of any number of worker processes. Shown only in this answer.',
    example: 'trw_…',
  })
  key!: string;
}
