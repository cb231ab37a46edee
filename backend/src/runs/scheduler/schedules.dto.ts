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
import { EntityDto } from '../../platform/common/entity.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  StringField,
  UuidsField,
} from '../../platform/http/fields.js';
import { ListQuery } from '../../platform/http/lists/list-query.js';
import { InputIdField, InputSecretIdField, SkriptIdField } from '../../platform/http/names/named-ids.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../platform/http/updates/ignored-fields.js';
import { NamedDto } from '../executions/records/executions.dto.js';
import { WorkerIdField } from '../workers/worker-id-field.js';
import { CRON_SPAN_EXPECTED } from './cron-span.js';

const NAME_CHARS = 200;
const name = {
  description: 'Name of the schedule. It must be unique among your schedules.',
  example: 'Books, every morning',
  min: 1,
  max: NAME_CHARS,
};
const cronSpan = {
  description:
    'When the schedule fires: minute, hour, day of month, month and day of week, optionally with seconds first. If you give both a day of month and a day of week, either matches.',
  example: '30 6 * * MON-FRI',
  max: 100,
  expected: CRON_SPAN_EXPECTED,
};
const timeZone = {
  description: 'IANA time zone of the span.',
  example: 'Europe/Zagreb',
  min: 1,
  max: 64,
};
const jobName = {
  description: 'Name of the job. Several schedules may share a job.',
  example: 'books',
  max: NAME_CHARS,
};
const skriptId = { description: 'The skript to run.' };
const inputId = { description: 'A saved input of the skript.', optional: true, nullable: true };
const inputSecretId = { description: 'A saved input secret of the skript.', optional: true, nullable: true };
const overlap = {
  description:
    'What to do if the run of an earlier fire is still live: `skip` makes no run, `queue` waits for it to end, `allow` starts another run.',
};
const catchUp = {
  description:
    'What to do with fires missed while the platform was down or in maintenance: `skip` makes no runs, `once` makes one run for all of them, `all` makes a run for each of the latest 100.',
};
const retries = {
  description: 'How many times to retry a failed run. Null: the skript’s setting.',
  min: LIMITS.retries.min,
  max: LIMITS.retries.max,
  optional: true,
  nullable: true,
};
const retryDelayMs = {
  description: 'Delay before each retry, in ms. Null: the skript’s setting.',
  min: LIMITS.retryDelayMs.min,
  max: LIMITS.retryDelayMs.max,
  optional: true,
  nullable: true,
};
const enabled = { description: 'Whether the schedule fires.' };

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

  @SkriptIdField(skriptId)
  skript_id!: string;

  @InputIdField(inputId)
  input_id?: string | null;

  @InputSecretIdField(inputSecretId)
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
  'last_run',
  'counter',
  'next_fire_at',
  'problem',
  'next_fires',
  'created_at',
  'updated_at',
)
export class UpdateScheduleDto extends ChangesOf(CreateScheduleDto) {}

export class SchedulesListQuery extends ListQuery {
  @SkriptIdField({ description: 'Only schedules of this skript.', optional: true })
  skript_id?: string;

  @StringField({ description: 'Only schedules of this job.', max: NAME_CHARS, optional: true })
  job_name?: string;

  @StringField({
    description: 'Only schedules whose name contains this text. Upper and lower case are the same.',
    max: NAME_CHARS,
    optional: true,
  })
  name_contains?: string;

  @BooleanField({ description: 'Only enabled or only disabled schedules.', optional: true })
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
    description: 'The `error_code` of the refused start, or the reason why the run is waiting.',
    example: 'not_found',
  })
  code!: string;
  @ApiProperty({ description: 'The problem in words.', example: 'There is no worker with this id.' })
  message!: string;
  @ApiProperty({ format: 'date-time', description: 'When the problem started.' })
  since!: string;
}

export class FiredExecutionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({
    enum: ACTIONS,
    description: '`start` and `pause`: the run is live. `stop`, `end` and `error`: it has ended.',
  })
  action!: Action;
  @ApiProperty({ enum: Object.keys(RUN_ERRORS), nullable: true, description: 'Why the run ended with `error`.' })
  error_code!: RunErrorCode | null;
}

/** A schedule: starts a skript at set times. */
export class ScheduleDto extends EntityDto {
  @ApiProperty({ example: 'Books, every morning' })
  name!: string;
  @ApiProperty({ description: cronSpan.description, example: '30 6 * * MON-FRI' })
  cron_span!: string;
  @ApiProperty({ description: timeZone.description, example: 'Europe/Zagreb' })
  time_zone!: string;
  @ApiProperty({ description: jobName.description, example: 'books' })
  job_name!: string;
  @ApiProperty({ description: 'Id of the worker, or `any`.', example: 'any' })
  worker_id!: string;
  @ApiProperty({
    type: NamedDto,
    nullable: true,
    description: 'The worker; null for `any`, or if the worker was deleted.',
  })
  worker!: NamedDto | null;
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({ type: NamedDto, description: 'The skript.' })
  skript!: NamedDto;
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'Id of a saved input of the skript.' })
  input_id!: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of a saved input secret of the skript.',
  })
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
    description: 'Times of the ten latest runs, newest first.',
    example: ['2026-02-13T05:30:00.412Z'],
  })
  triggered!: string[];
  @ApiProperty({
    type: FiredExecutionDto,
    nullable: true,
    description: 'The latest run; null if there is none, or it was deleted.',
  })
  last_run!: FiredExecutionDto | null;
  @ApiProperty({ type: 'integer', description: 'Number of runs that the schedule has made.', example: 1 })
  counter!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The next fire; null while the schedule is disabled.',
    example: '2026-02-16T05:30:00.000Z',
  })
  next_fire_at!: string | null;
  @ApiProperty({
    type: ScheduleProblemDto,
    nullable: true,
    description:
      'Reason why the last fire started no run, or why no worker takes the run. Null if there is no problem. The event `schedule.problem` tells the owner when the problem starts, then once a day while it lasts.',
    example: null,
  })
  problem!: ScheduleProblemDto | null;
  @ApiPropertyOptional({
    type: [String],
    format: 'date-time',
    description: 'The next five fires; empty while the schedule is disabled. Not included in lists.',
    example: ['2026-02-16T05:30:00.000Z', '2026-02-17T05:30:00.000Z'],
  })
  next_fires?: string[];
}

export class FiresListQuery extends ListQuery {
  @EnumField(FIRE_OUTCOMES, { description: 'Only fires with this outcome.', optional: true })
  outcome?: FireOutcome;
}

/** One fire of a schedule, and what came of it. */
export class ScheduleFireDto extends EntityDto {
  @ApiProperty({ format: 'uuid' })
  schedule_id!: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time at which the schedule was due.',
    example: '2026-02-13T05:30:00.000Z',
  })
  fire_at!: string;
  @ApiProperty({
    enum: FIRE_OUTCOMES,
    description:
      '`fired`: made a run. `skipped`: made none. `missed`: the platform was down or in maintenance. `queued`: waits for the previous run to end.',
    example: 'fired',
  })
  outcome!: FireOutcome;
  @ApiProperty({ description: 'True if a call triggered the fire, false if it was due by the clock.', example: false })
  manual!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: `Reason why the fire started no run: ${Object.keys(FIRE_REASONS)
      .map(code => `\`${code}\``)
      .join(', ')}, or the \`error_code\` of the refused start.`,
    example: null,
  })
  reason_code!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words.', example: null })
  reason!: string | null;
  @ApiProperty({
    type: 'integer',
    description: 'Number of earlier missed fires that are not listed.',
    example: 0,
  })
  left_out!: number;
  @ApiProperty({
    type: FiredExecutionDto,
    nullable: true,
    description: 'The run of this fire; null if it made none, or the run was deleted.',
  })
  execution!: FiredExecutionDto | null;
}

const MAX_SCHEDULES = 100;

export class FireHoursQuery {
  @UuidsField({
    description: `Ids of up to ${MAX_SCHEDULES} schedules, separated by commas. Ids of other accounts are left out.`,
    max: MAX_SCHEDULES,
  })
  schedule_ids!: string;

  @DateTimeField({ description: 'The start of the first hour.' })
  from!: string;

  @IntField({ description: 'Number of hours.', min: 1, max: 192, default: 168, optional: true })
  hours = 168;
}

/** Fires of one schedule in one hour that had the same outcome. */
export class FireHourDto {
  @ApiProperty({ format: 'uuid' })
  schedule_id!: string;
  @ApiProperty({ type: 'integer', description: 'Number of the hour, counted from `from`; 0 is the first.', example: 6 })
  hour!: number;
  @ApiProperty({ enum: FIRE_OUTCOMES, description: 'As in the list of fires.', example: 'fired' })
  outcome!: FireOutcome;
  @ApiProperty({
    enum: ACTIONS,
    nullable: true,
    description: 'State of the runs; null if the fires made none, or the runs were deleted.',
    example: 'end',
  })
  action!: Action | null;
  @ApiProperty({ type: 'integer', description: 'Number of fires.', example: 4 })
  fires!: number;
}

export class FireHoursDto {
  @ApiProperty({ type: [FireHourDto], description: 'Hours without a fire are left out.' })
  items!: FireHourDto[];
}
