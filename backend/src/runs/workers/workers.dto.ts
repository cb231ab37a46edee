import { ApiProperty } from '@nestjs/swagger';
import {
  ENVIRONMENTS,
  type Environment,
  MAX_CHROMIUM_AGE_DAYS,
  RESTART_MODES,
  type RestartMode,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
  type SandboxLayerName,
  type SandboxLevel,
  WORKER_STATUSES,
  type WorkerStatus,
} from '@trawl/contracts';
import { EntityDto } from '../../platform/common/entity.js';
import { BooleanField, EnumField, StringField, UuidField } from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';

export class WorkersListQuery extends ListQuery {
  @BooleanField({
    description: '`true`: only public workers. `false`: only private ones that you can use.',
    optional: true,
  })
  public?: boolean;

  @UuidField({
    description: 'Only workers of this group.',
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6073',
    optional: true,
  })
  group_id?: string;

  @StringField({
    description: 'Only workers whose name contains this text, ignoring case.',
    example: 'paris',
    max: 60,
    optional: true,
  })
  name_contains?: string;
}

const NAME = {
  description: 'Unique name of the worker.',
  example: 'paris-1',
  min: 1,
  max: 60,
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  expected: 'letters, digits, dots, underscores and hyphens, beginning with a letter or digit',
};
const PUBLIC = { description: 'Whether every user can see and choose the worker.', example: true, optional: true };

export class NewWorkerDto {
  @StringField(NAME)
  name!: string;

  @BooleanField({ ...PUBLIC, default: false })
  public = false;
}

export class UpdateWorkerDto extends ChangesOf(NewWorkerDto) {}

export class RestartWorkerDto {
  @EnumField(RESTART_MODES, {
    description:
      '`drain`: take no more runs and restart when the current ones have ended. `stop`: end the current runs with `worker_restarted` and restart at once.',
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
      '`own_user`: each run has its own user id. `namespaces`: each run has its own processes, files and IPC. `syscalls`: a system call filter. ' +
      '`limits`: limits on memory, processes, files and disk. `egress`: no access to private addresses.',
  })
  name!: SandboxLayerName;
  @ApiProperty()
  holds!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'How the layer is made, or why it is missing and how to add it. Administrators only; null for others.',
    example: 'bubblewrap 0.8.0',
  })
  note!: string | null;
}

export class WorkerChromiumDto {
  @ApiProperty({ description: 'Version of the Chromium.', example: '154.0.7920.12' })
  version!: string;
  @ApiProperty({
    description: `Whether it was released more than ${MAX_CHROMIUM_AGE_DAYS} days ago. Update it: it has known holes.`,
    example: false,
  })
  is_old!: boolean;
}

export class WorkerUsageDto {
  @ApiProperty({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Share of the CPU of all cores in use since the previous heartbeat, from 0 to 1.',
    example: 0.42,
  })
  cpu!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes of memory in use.', example: 3_221_225_472 })
  memory_used_bytes!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Bytes of memory of the machine, or of the limit of the worker’s container.',
    example: 8_589_934_592,
  })
  memory_total_bytes!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Free bytes on the disk of the worker’s folder; null if the worker does not report them.',
    example: 52_613_349_376,
  })
  disk_free_bytes!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Size of that disk in bytes.',
    example: 107_374_182_400,
  })
  disk_total_bytes!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'How many ms the worker’s event loop was blocked at most between its last two heartbeats; null if the worker does not report it. Over 1,000, the worker starts, stops and reports runs late.',
    example: 3,
  })
  event_loop_ms!: number | null;
}

export class WorkerDto extends EntityDto {
  @ApiProperty({ example: 'paris-1' })
  name!: string;
  @ApiProperty()
  public!: boolean;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Group whose key the worker connects with; null if it has a key of its own.',
    example: null,
  })
  group_id!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'IP address that the worker last connected from.',
    example: '127.0.0.1',
  })
  ip_address!: string | null;
  @ApiProperty({ type: String, nullable: true, example: '0.1.0' })
  version!: string | null;
  @ApiProperty({ enum: WORKER_STATUSES })
  status!: WorkerStatus;
  @ApiProperty({
    description:
      'Whether the worker can run your skripts. Without the full sandbox, it runs only skripts of the accounts from the first start.',
  })
  usable!: boolean;
  @ApiProperty({
    description: 'Whether you can restart the worker: as an administrator, or as the only user of a private worker.',
  })
  may_restart!: boolean;
  @ApiProperty({ enum: SANDBOX_LEVELS, nullable: true, description: 'Isolation level of runs on the worker.' })
  sandbox!: SandboxLevel | null;
  @ApiProperty({
    type: SandboxLayerDto,
    isArray: true,
    description:
      'Layers of the sandbox. The sandbox is `full` if all layers work. Empty until the worker first connects.',
  })
  sandbox_layers!: SandboxLayerDto[];
  @ApiProperty({ enum: ENVIRONMENTS, isArray: true })
  environments!: Environment[];
  @ApiProperty({
    type: WorkerChromiumDto,
    nullable: true,
    description: 'Chromium of runs with a browser. Null if the worker has none, or does not report it.',
  })
  chromium!: WorkerChromiumDto | null;
  @ApiProperty({
    type: String,
    isArray: true,
    description: 'Versions of Node that run skripts, the default first. Empty if the worker does not report them.',
    example: ['24.21.0', '22.23.3'],
  })
  nodes!: string[];
  @ApiProperty({ type: 'integer', description: 'Number of runs that the worker takes concurrently.' })
  slots!: number;
  @ApiProperty({ type: 'integer', description: 'Number of free slots.' })
  free_slots!: number;
  @ApiProperty({
    type: WorkerUsageDto,
    nullable: true,
    description: 'How busy the worker’s machine is, at the last heartbeat. Null while the worker is offline.',
  })
  usage!: WorkerUsageDto | null;
  @ApiProperty({
    type: 'integer',
    description: 'Number of runs that the worker has now, of all users together.',
    example: 1,
  })
  runs!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the last heartbeat; null until the worker first connects.',
    example: '2026-02-15T09:30:00.000Z',
  })
  last_seen_at!: string | null;
}

export class WorkerKeyDto extends WorkerDto {
  @ApiProperty({
    description: 'Key of the worker. Set it as `TRAWL_WORKER_KEY`. Shown only in this answer.',
    example: 'trw_…',
  })
  key!: string;
}
