import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ACTIONS,
  type Action,
  CATCH_UPS,
  type CatchUp,
  FIRE_OUTCOMES,
  FIRE_REASONS,
  type FireOutcome,
  LIMITS,
  OVERLAPS,
  type Overlap,
  RUN_ERRORS,
  type RunErrorCode,
} from '@trawl/contracts';
import { EntityDto } from '../common/entity.js';
import { BooleanField, EnumField, IntField, StringField, UuidField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { ListQuery } from '../common/list-query.js';
import { NamedDto, WorkerIdField } from '../executions/executions.dto.js';
import { CRON_SPAN_EXPECTED } from './cron-span.js';

const NAME_CHARS = 200;
const name = { description: 'Unique among your schedules.', example: 'Books, every morning', min: 1, max: NAME_CHARS };
const cronSpan = {
  description:
    'When it fires: minute, hour, day of month, month and day of week, or six fields with seconds before them. With both a day of month and a day of week, either will do.',
  example: '30 6 * * MON-FRI',
  max: 100,
  expected: CRON_SPAN_EXPECTED,
};
const timeZone = {
  description: 'The time zone in which the span is read, by its name in the IANA list.',
  example: 'Europe/Zagreb',
  min: 1,
  max: 64,
};
const jobName = {
  description: 'What the job is called; several schedules may belong to one job.',
  example: 'books',
  max: NAME_CHARS,
};
const skriptId = { description: 'The skript.' };
const inputId = { description: 'A stored input of the skript.', optional: true, nullable: true };
const inputSecretId = { description: 'A stored input secret of the skript.', optional: true, nullable: true };
const overlap = {
  description:
    'What a fire does while the run of an earlier one goes on: `skip` makes no run, `queue` waits for the end, `allow` runs beside it.',
};
const catchUp = {
  description:
    'What happens to fires that the platform was not there for: `skip` makes no runs, `once` one run for all of them, `all` a run for each of the latest 100.',
};
const retries = {
  description: 'How often a run that failed is tried again; null: as the skript says.',
  min: LIMITS.retries.min,
  max: LIMITS.retries.max,
  optional: true,
  nullable: true,
};
const retryDelayMs = {
  description: 'How long to wait before the first retry, in ms; null: as the skript says.',
  min: LIMITS.retryDelayMs.min,
  max: LIMITS.retryDelayMs.max,
  optional: true,
  nullable: true,
};
const enabled = { description: 'Whether it fires.' };

export class CreateScheduleDto {
  @StringField(name)
  name!: string;

  @StringField(cronSpan)
  cron_span!: string;

  @StringField({ ...timeZone, default: 'UTC', optional: true })
  time_zone = 'UTC';

  @StringField({ ...jobName, default: '', optional: true })
  job_name = '';

  @WorkerIdField()
  worker_id!: string;

  @UuidField(skriptId)
  skript_id!: string;

  @UuidField(inputId)
  input_id?: string | null;

  @UuidField(inputSecretId)
  inputSecret_id?: string | null;

  @EnumField(OVERLAPS, { ...overlap, default: 'skip', optional: true })
  overlap: Overlap = 'skip';

  @EnumField(CATCH_UPS, { ...catchUp, default: 'skip', optional: true })
  catch_up: CatchUp = 'skip';

  @IntField(retries)
  retries?: number | null;

  @IntField(retryDelayMs)
  retry_delay_ms?: number | null;

  @BooleanField({ ...enabled, default: true, optional: true })
  enabled = true;
}

@IgnoredFields(
  'id',
  'skript',
  'worker',
  'triggered',
  'counter',
  'next_fire_at',
  'problem',
  'next_fires',
  'created_at',
  'updated_at',
)
export class UpdateScheduleDto {
  @StringField({ ...name, optional: true })
  name?: string;

  @StringField({ ...cronSpan, optional: true })
  cron_span?: string;

  @StringField({ ...timeZone, optional: true })
  time_zone?: string;

  @StringField({ ...jobName, optional: true })
  job_name?: string;

  @WorkerIdField(true)
  worker_id?: string;

  @UuidField({ ...skriptId, optional: true })
  skript_id?: string;

  @UuidField(inputId)
  input_id?: string | null;

  @UuidField(inputSecretId)
  inputSecret_id?: string | null;

  @EnumField(OVERLAPS, { ...overlap, optional: true })
  overlap?: Overlap;

  @EnumField(CATCH_UPS, { ...catchUp, optional: true })
  catch_up?: CatchUp;

  @IntField(retries)
  retries?: number | null;

  @IntField(retryDelayMs)
  retry_delay_ms?: number | null;

  @BooleanField({ ...enabled, optional: true })
  enabled?: boolean;
}

export class SchedulesListQuery extends ListQuery {
  @UuidField({ description: 'Schedules of this skript.', optional: true })
  skript_id?: string;

  @StringField({ description: 'Schedules of this job.', max: NAME_CHARS, optional: true })
  job_name?: string;

  @StringField({ description: 'Schedules with this text in their name.', max: NAME_CHARS, optional: true })
  name_contains?: string;

  @BooleanField({ description: 'Only those that fire, or only those that do not.', optional: true })
  enabled?: boolean;
}

export class PreviewQuery {
  @StringField(cronSpan)
  cron_span!: string;

  @StringField({ ...timeZone, default: 'UTC', optional: true })
  time_zone = 'UTC';
}

export class PreviewDto {
  @ApiProperty({ example: '30 6 * * MON-FRI' })
  cron_span!: string;
  @ApiProperty({ example: 'Europe/Zagreb' })
  time_zone!: string;
  @ApiProperty({
    type: [String],
    format: 'date-time',
    description: 'The next five fires.',
    example: ['2026-02-16T05:30:00.000Z', '2026-02-17T05:30:00.000Z'],
  })
  next_fires!: string[];
}

export class ScheduleProblemDto {
  @ApiProperty({
    description: 'The `error_code` of the start that was refused, or what the run waits for.',
    example: 'not_found',
  })
  code!: string;
  @ApiProperty({ description: 'The same for a person to read.', example: 'There is no worker with this id.' })
  message!: string;
  @ApiProperty({ format: 'date-time', description: 'Since when no fire has made a run that a worker could take.' })
  since!: string;
}

/** Starts a skript by the clock. */
export class ScheduleDto extends EntityDto {
  @ApiProperty({ example: 'Books, every morning' })
  name!: string;
  @ApiProperty({ description: cronSpan.description, example: '30 6 * * MON-FRI' })
  cron_span!: string;
  @ApiProperty({ description: timeZone.description, example: 'Europe/Zagreb' })
  time_zone!: string;
  @ApiProperty({ description: jobName.description, example: 'books' })
  job_name!: string;
  @ApiProperty({ description: 'The worker, or `any`.', example: 'any' })
  worker_id!: string;
  @ApiProperty({ type: NamedDto, nullable: true, description: 'The worker; null for `any`, or when it has gone.' })
  worker!: NamedDto | null;
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ type: NamedDto, description: 'The skript.' })
  skript!: NamedDto;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'A stored input of the skript.' })
  input_id!: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'A stored input secret of the skript.' })
  inputSecret_id!: string | null;
  @ApiProperty({ enum: OVERLAPS, description: overlap.description })
  overlap!: Overlap;
  @ApiProperty({ enum: CATCH_UPS, description: catchUp.description })
  catch_up!: CatchUp;
  @ApiProperty({ type: 'integer', nullable: true, description: retries.description, example: null })
  retries!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: retryDelayMs.description, example: null })
  retry_delay_ms!: number | null;
  @ApiProperty({ description: enabled.description, example: true })
  enabled!: boolean;
  @ApiProperty({
    type: [String],
    format: 'date-time',
    description: 'When its ten latest runs were made, the newest first.',
    example: ['2026-02-13T05:30:00.412Z'],
  })
  triggered!: string[];
  @ApiProperty({ type: 'integer', description: 'How many runs it has made.', example: 1 })
  counter!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it fires next; null while it is disabled.',
    example: '2026-02-16T05:30:00.000Z',
  })
  next_fire_at!: string | null;
  @ApiProperty({
    type: ScheduleProblemDto,
    nullable: true,
    description:
      'Why its latest fire could make no run, or one that no worker takes; its owner has an e-mail about it, and one a day while it goes on. Null when all is well.',
    example: null,
  })
  problem!: ScheduleProblemDto | null;
  @ApiPropertyOptional({
    type: [String],
    format: 'date-time',
    description: 'The next five fires; none while it is disabled. Lists leave them out.',
    example: ['2026-02-16T05:30:00.000Z', '2026-02-17T05:30:00.000Z'],
  })
  next_fires?: string[];
}

export class FiresListQuery extends ListQuery {
  @EnumField(FIRE_OUTCOMES, { description: 'Fires that went this way.', optional: true })
  outcome?: FireOutcome;
}

class FiredExecutionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: ACTIONS, description: '`start` and `pause` go on; `stop`, `end` and `error` are over.' })
  action!: Action;
  @ApiProperty({ enum: Object.keys(RUN_ERRORS), nullable: true, description: 'Why it ended with `error`.' })
  error_code!: RunErrorCode | null;
}

/** One time at which a schedule was due, and what became of it. */
export class ScheduleFireDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  schedule_id!: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time that the span names.',
    example: '2026-02-13T05:30:00.000Z',
  })
  fire_at!: string;
  @ApiProperty({
    enum: FIRE_OUTCOMES,
    description:
      '`fired` made a run, `skipped` did not, `missed` was not looked at in time, `queued` waits for the run before to end.',
    example: 'fired',
  })
  outcome!: FireOutcome;
  @ApiProperty({ description: 'Asked for by a call, not by the clock.', example: false })
  manual!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: `Why it made no run: ${Object.keys(FIRE_REASONS)
      .map(code => `\`${code}\``)
      .join(', ')}, or the \`error_code\` of the start that was refused.`,
    example: null,
  })
  reason_code!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The same for a person to read.', example: null })
  reason!: string | null;
  @ApiProperty({
    type: 'integer',
    description: 'How many fires before this one were missed as well and are not listed.',
    example: 0,
  })
  left_out!: number;
  @ApiProperty({
    type: FiredExecutionDto,
    nullable: true,
    description: 'Its run; null when it has none, or that was deleted.',
  })
  execution!: FiredExecutionDto | null;
}
