import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ENVIRONMENTS,
  type Environment,
  SANDBOX_LEVELS,
  type SandboxLevel,
  WORKER_STATUSES,
  type WorkerStatus,
} from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { BooleanField, StringField } from '../common/fields.js';
import { ListQuery } from '../common/list-query.js';

export class WorkersListQuery extends ListQuery {
  @BooleanField({ description: 'Only public workers, or only those assigned to you.', optional: true })
  public?: boolean;
}

export class NewWorkerDto {
  @StringField({
    description: 'A name that no other worker has.',
    example: 'paris-1',
    min: 1,
    max: 60,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    expected: 'letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
  })
  name!: string;

  @BooleanField({ description: 'Whether it is in every user’s list.', optional: true, default: false })
  public = false;
}

export class WorkerDto extends EntityDto {
  @ApiProperty({ example: 'paris-1' })
  name!: string;
  @ApiProperty()
  public!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Where it last connected from.', example: '127.0.0.1' })
  ip_address!: string | null;
  @ApiProperty({ type: String, nullable: true, example: '0.1.0' })
  version!: string | null;
  @ApiProperty({ enum: WORKER_STATUSES })
  status!: WorkerStatus;
  @ApiProperty({
    description:
      'Whether it may run your skripts. One without the full sandbox runs those of the accounts of the first start only.',
  })
  usable!: boolean;
  @ApiProperty({ enum: SANDBOX_LEVELS, nullable: true, description: 'How well it contains what it runs.' })
  sandbox!: SandboxLevel | null;
  @ApiProperty({ enum: ENVIRONMENTS, isArray: true })
  environments!: Environment[];
  @ApiProperty({ type: 'integer', description: 'How many runs it takes at once.' })
  slots!: number;
  @ApiProperty({ type: 'integer', description: 'How many more it would take now.' })
  free_slots!: number;
}

export class CreatedWorkerDto extends WorkerDto {
  @ApiPropertyOptional({
    description: 'The worker’s key, `TRAWL_WORKER_KEY`. Shown only in this answer.',
    example: 'trw_…',
  })
  key!: string;
}
