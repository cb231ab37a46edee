import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import {
  ACTIONS,
  type Action,
  LIMITS,
  RUN_ERRORS,
  type RunErrorCode,
  WAITING_REASONS,
  type WaitingReason,
} from '@trawl/contracts';
import { Transform } from 'class-transformer';
import { EntityDto } from '../common/entity.js';
import {
  ANY_JSON,
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  JsonField,
  StringField,
  UuidField,
} from '../common/fields.js';
import { ListQuery } from '../common/list-query.js';

export const WORKER_ID = /^(any|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

export const WorkerIdField = (optional = false) =>
  applyDecorators(
    // One spelling, so that the same run is known as the same.
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    StringField({
      description: 'The worker, or `any` for the least loaded one that you may use.',
      example: 'any',
      max: 36,
      pattern: WORKER_ID,
      expected: 'the id of a worker, or any',
      optional,
    }),
  );

export class StartOptions {
  @BooleanField({ description: 'Start even if the same run is already under way.', default: false, optional: true })
  force = false;

  @IntField({
    description:
      'How long to wait for the end, in ms; by default until the time limit of it and its retries has passed. When it passes, the answer is 202 and the run goes on.',
    min: 0,
    max: LIMITS.workerResponseTimeoutMs.max,
    optional: true,
  })
  wait_ms?: number;

  @IntField({
    description: 'How long a try may take, in ms; by default what the skript’s `worker_response_timeout` says.',
    min: LIMITS.workerResponseTimeoutMs.min,
    max: LIMITS.workerResponseTimeoutMs.max,
    optional: true,
  })
  timeout_ms?: number;

  @IntField({
    description:
      'How many times it is tried again when it ends with an error that another try may help. By default what the skript says.',
    min: LIMITS.retries.min,
    max: LIMITS.retries.max,
    optional: true,
  })
  retries?: number;

  @IntField({
    description: 'How long after the end of one try the next begins, in ms. By default what the skript says.',
    min: LIMITS.retryDelayMs.min,
    max: LIMITS.retryDelayMs.max,
    optional: true,
  })
  retry_delay_ms?: number;
}

export class StartQuery extends StartOptions {}

export class StartStoredQuery extends StartOptions {
  @WorkerIdField()
  worker_id!: string;

  @UuidField({ description: 'The skript.' })
  skript_id!: string;

  @UuidField({ description: 'A stored input of the skript.', optional: true })
  input_id?: string;

  @UuidField({ description: 'A stored input secret of the skript.', optional: true })
  inputSecret_id?: string;
}

export class StartValues {
  @UuidField({ description: 'The skript.' })
  skript_id!: string;

  @JsonField({
    description: 'First argument of `main.js`.',
    optional: true,
    example: { base_url: 'http://127.0.0.1:3001' },
  })
  input?: unknown;

  @JsonField({
    description: 'Second argument of `main.js`. Kept encrypted while the run goes on, then wiped.',
    optional: true,
  })
  inputSecret?: unknown;
}

export class StartDto extends StartValues {
  @WorkerIdField()
  worker_id!: string;
}

export class ControlQuery {
  @WorkerIdField(true)
  worker_id?: string;

  @UuidField({ description: 'Runs of this skript.', optional: true })
  skript_id?: string;

  @UuidField({ description: 'Runs with this stored input.', optional: true })
  input_id?: string;

  @UuidField({ description: 'Runs with this stored input secret.', optional: true })
  inputSecret_id?: string;

  @UuidField({ description: 'This run.', optional: true })
  execution_id?: string;
}

export class ExecutionsListQuery extends ListQuery {
  @UuidField({ description: 'Runs of this skript.', optional: true })
  skript_id?: string;

  @UuidField({ description: 'Runs on this worker.', optional: true })
  worker_id?: string;

  @EnumField(ACTIONS, { description: 'Runs in this state.', optional: true })
  action?: Action;

  @UuidField({ description: 'The tries that followed this run, the first of them.', optional: true })
  retry_of?: string;

  @UuidField({ description: 'Runs of this schedule.', optional: true })
  schedule_id?: string;

  @DateTimeField({ description: 'Runs made at this time or later.', optional: true })
  created_from?: string;

  @DateTimeField({ description: 'Runs made before this time.', optional: true })
  created_to?: string;
}

export class NamedDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty()
  name!: string;
}

class ExecutedSkriptDto extends NamedDto {
  @ApiProperty({ example: 'general' })
  category!: string;
}

class WaitingForDto {
  @ApiProperty({ enum: WAITING_REASONS })
  reason!: WaitingReason;
  @ApiProperty({ format: 'date-time' })
  since!: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When the next try begins, of `retry_scheduled`.' })
  until?: string;
}

/** One run of a skript. */
export class ExecutionDto extends EntityDto {
  @ApiProperty({ type: NamedDto, nullable: true, description: 'Null while no worker was found for `any`.' })
  worker!: NamedDto | null;
  @ApiProperty({ type: ExecutedSkriptDto, description: 'As it was named when the run began.' })
  skript!: ExecutedSkriptDto;
  @ApiProperty({ type: NamedDto, nullable: true })
  input!: NamedDto | null;
  @ApiProperty({ type: NamedDto, nullable: true })
  inputSecret!: NamedDto | null;
  @ApiProperty({ enum: ACTIONS, description: '`start` and `pause` go on; `stop`, `end` and `error` are over.' })
  action!: Action;
  @ApiProperty({ type: WaitingForDto, nullable: true, description: 'Why it does not run; null while it is paused.' })
  waiting_for!: WaitingForDto | null;
  @ApiProperty({ enum: Object.keys(RUN_ERRORS), nullable: true, description: 'Why it ended with `error`.' })
  error_code!: RunErrorCode | null;
  @ApiProperty({ type: String, nullable: true, description: 'The error with the place in your own files.' })
  error_stack!: string | null;
  @ApiProperty({
    description: 'What `main.js` returned, any JSON value; null before it does. Lists leave it out.',
    ...ANY_JSON,
    nullable: true,
    example: { title: 'Emma' },
  })
  output!: unknown;
  @ApiProperty({ type: 'integer', description: '1 for the first try.' })
  attempt!: number;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The first run of those that this one tries again.',
  })
  retry_of!: string | null;
  @ApiProperty({
    type: NamedDto,
    nullable: true,
    description: 'The schedule that it was made by; its name is empty once that was deleted.',
  })
  schedule!: NamedDto | null;
  @ApiProperty({ type: 'integer', description: 'How many echoes it made.' })
  last_seq!: number;
}

/** As a list answers it. */
export class ListedExecutionDto extends OmitType(ExecutionDto, ['output']) {}
