import { ApiProperty } from '@nestjs/swagger';
import {
  ENVIRONMENTS,
  type Environment,
  RESTART_MODES,
  type RestartMode,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
  type SandboxLayerName,
  type SandboxLevel,
  WORKER_STATUSES,
  type WorkerStatus,
} from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { BooleanField, EnumField, StringField, UuidField } from '../common/fields.js';
import { ListQuery } from '../common/list-query.js';

export class WorkersListQuery extends ListQuery {
  @BooleanField({ description: 'Only public workers, or only those assigned to you.', optional: true })
  public?: boolean;
}

const NAME = {
  description: 'A name that no other worker has.',
  example: 'paris-1',
  min: 1,
  max: 60,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  expected: 'letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
};
const PUBLIC = { description: 'Whether every user may see and choose it.', example: true, optional: true };

export class NewWorkerDto {
  @StringField(NAME)
  name!: string;

  @BooleanField({ ...PUBLIC, default: false })
  public = false;
}

export class UpdateWorkerDto {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @BooleanField(PUBLIC)
  public?: boolean;
}

export class RestartWorkerDto {
  @EnumField(RESTART_MODES, {
    description:
      '`drain` takes no more runs and restarts when those under way have ended; `stop` ends them with `worker_restarted`.',
    example: 'drain',
    optional: true,
    default: 'drain',
  })
  mode: RestartMode = 'drain';
}

export class SandboxLayerDto {
  @ApiProperty({
    enum: SANDBOX_LAYERS,
    description:
      '`own_user`: a user id for each run; `namespaces`: processes, files and IPC of its own; `syscalls`: a filter of system calls; ' +
      '`limits`: memory, processes, files, disk; `egress`: no private address.',
  })
  name!: SandboxLayerName;
  @ApiProperty()
  holds!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'How it is made, or why it is missing and how to get it. For administrators; null for everybody else.',
    example: 'bubblewrap 0.8.0',
  })
  note!: string | null;
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
  @ApiProperty({
    description: 'Whether you may restart it: as an administrator, or as the only user of a worker that is not public.',
  })
  may_restart!: boolean;
  @ApiProperty({ enum: SANDBOX_LEVELS, nullable: true, description: 'How well it contains what it runs.' })
  sandbox!: SandboxLevel | null;
  @ApiProperty({
    type: SandboxLayerDto,
    isArray: true,
    description: 'What the sandbox is made of: with all of them it is `full`. Empty before its first connection.',
  })
  sandbox_layers!: SandboxLayerDto[];
  @ApiProperty({ enum: ENVIRONMENTS, isArray: true })
  environments!: Environment[];
  @ApiProperty({ type: 'integer', description: 'How many runs it takes at once.' })
  slots!: number;
  @ApiProperty({ type: 'integer', description: 'How many more it would take now.' })
  free_slots!: number;
  @ApiProperty({ type: 'integer', description: 'How many runs are under way on it, whosever they are.', example: 1 })
  runs!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was last heard of; null before its first connection.',
    example: '2026-02-15T09:30:00.000Z',
  })
  last_seen_at!: string | null;
}

export class WorkerKeyDto extends WorkerDto {
  @ApiProperty({
    description: 'The worker’s key, `TRAWL_WORKER_KEY`. Shown only in this answer.',
    example: 'trw_…',
  })
  key!: string;
}

export class WorkerAssignmentDto {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  worker_id!: string;
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072' })
  user_id!: string;
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
  @ApiProperty({ format: 'date-time', example: '2026-02-15T09:30:00.000Z' })
  created_at!: string;
}

export class NewWorkerAssignmentDto {
  @UuidField({ description: 'Who may use the worker from now on.', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072' })
  user_id!: string;
}
