import { ApiProperty, ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import {
  ACTIONS,
  type Action,
  LIMITS,
  MAX_USAGE_SAMPLES,
  MAX_WRITTEN_NAMES,
  type RequestedHost,
  RUN_ERRORS,
  type RunErrorCode,
  type RunWrite,
  type UsageSample,
  VERDICT_LEVELS,
  type VerdictLevel,
  WAITING_REASONS,
  type WaitingReason,
  WRITE_STORES,
} from '@trawl/contracts';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsUUID, ValidateIf } from 'class-validator';
import { DeletedDto, EntityDto } from '../../../platform/common/entity.js';
import {
  ANY_JSON,
  EnumField,
  Holding,
  IntField,
  StringField,
  UuidField,
  UuidsField,
} from '../../../platform/http/fields.js';
import { ListQuery } from '../../../platform/http/lists/list-query.js';
import { InputIdField, InputSecretIdField, SkriptIdField } from '../../../platform/http/names/named-ids.js';
import { ProxyUseDto } from '../../proxies/proxy-use.dto.js';
import { NUMBER_DESCRIPTION } from '../../skripts/versions/version-number.js';
import { WorkerIdField } from '../../workers/worker-id-field.js';
import { VerdictDto } from '../verdicts/verdicts.dto.js';
import { SEARCHED_RUNS, WithRunFilter } from './run-filter.js';
import { RunRecordDto } from './run-record.dto.js';
import { RequestedHostDto, UsageSampleDto } from './run-usage.dto.js';

export class ControlQuery {
  @WorkerIdField({ optional: true })
  worker_id?: string;

  @SkriptIdField({ description: 'Only runs of this skript.', optional: true })
  skript_id?: string;

  @InputIdField({ description: 'Only runs with this saved input.', optional: true })
  input_id?: string;

  @InputSecretIdField({ description: 'Only runs with this saved input secret.', optional: true })
  inputSecret_id?: string;

  @UuidField({ description: 'Only this run, or its live retry.', optional: true })
  execution_id?: string;
}

const ONLY_SKRIPT = { description: 'Only runs of this skript.', optional: true };

export class ExecutionsListQuery extends WithRunFilter(ListQuery) {
  @SkriptIdField(ONLY_SKRIPT)
  skript_id?: string;

  @StringField({
    description: `Only runs whose id contains this text. Searches your ${SEARCHED_RUNS.toLocaleString('en-GB')} newest runs.`,
    min: 4,
    max: 36,
    pattern: /^[0-9a-f-]*$/,
    expected: 'at least 4 characters of an id, in lower case',
    example: '3e4f5a6b',
    optional: true,
  })
  id_contains?: string;

  @EnumField(VERDICT_LEVELS, { description: 'Only runs whose verdict has this level.', optional: true })
  verdict?: VerdictLevel;
}

export class AllExecutionsQuery extends WithRunFilter(ListQuery) {
  @UuidField(ONLY_SKRIPT)
  skript_id?: string;

  @UuidField({ description: 'Only runs of this account.', optional: true })
  user_id?: string;
}

/** Maximum number of runs that one call deletes. */
export const MAX_DELETED_RUNS = 1_000;

export class DeleteExecutionsDto extends WithRunFilter(Object) {
  @SkriptIdField(ONLY_SKRIPT)
  skript_id?: string;

  @ApiPropertyOptional({
    description: 'Only runs with these ids.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: MAX_DELETED_RUNS,
    example: ['019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'],
  })
  @ValidateIf((_, value) => value !== undefined)
  @Holding({ atMost: MAX_DELETED_RUNS })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_DELETED_RUNS)
  @IsUUID(undefined, { each: true, message: 'each of ids must be a UUID' })
  ids?: string[];
}

export class DeletedExecutionsDto extends DeletedDto {
  @ApiProperty({
    description:
      'Those of `ids` that were not deleted: live runs, runs with a live retry, and ids that match no run. Empty without `ids`.',
    type: [String],
    format: 'uuid',
    example: [],
  })
  kept!: string[];
  @ApiProperty({ description: '`true` if more runs match than one call deletes. Call again to delete them.' })
  more!: boolean;
}

export class ExecutionQuery {
  @IntField({
    description:
      'How long to wait for the run to end, in ms. The answer comes as soon as the run has ended or the time is over.',
    min: 0,
    max: LIMITS.workerResponseTimeoutMs.max,
    default: 0,
    optional: true,
  })
  wait_ms = 0;
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
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When the next attempt starts; only for `retry_scheduled`.',
  })
  until?: string;
  @ApiPropertyOptional({
    type: 'integer',
    example: 2,
    description:
      'Place in the queue, from 1; only for `libraries_resolving` and `libraries_installing`, while the libraries of other runs come first.',
  })
  place?: number;
  @ApiPropertyOptional({ type: 'integer', example: 5, description: 'Length of this queue.' })
  of?: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 214,
    description: 'Packages that npm has found so far; only for `libraries_resolving`, after the queue.',
  })
  packages?: number;
}

class RunWriteDto implements RunWrite {
  @ApiProperty({ enum: WRITE_STORES, description: 'The dataset and the key-value store are in `mongodb`.' })
  store!: RunWrite['store'];
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'prices',
    description:
      'The database of MongoDB that the skript named; null for PostgreSQL, and for your oldest database, which a skript uses if it names none.',
  })
  database!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'books',
    description:
      'The collection or table; null for statements of `postgres.query`, and for collections beyond the limit. A table has its schema in front, such as `shop.books`, unless that is `public`.',
  })
  name!: string | null;
  @ApiProperty({ type: 'integer', example: 60, description: 'Documents or rows.' })
  inserted!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  updated!: number;
  @ApiProperty({ type: 'integer', example: 0 })
  deleted!: number;
}

/** One run of a skript. */
export class ExecutionDto extends EntityDto {
  @ApiProperty({ type: NamedDto, nullable: true, description: 'Null until a worker takes a run requested for `any`.' })
  worker!: NamedDto | null;
  @ApiProperty({ type: ExecutedSkriptDto, description: 'Name and category of the skript when the run started.' })
  skript!: ExecutedSkriptDto;
  @ApiProperty({ type: NamedDto, nullable: true })
  input!: NamedDto | null;
  @ApiPropertyOptional({
    description:
      'The input that the start sent as a value, to repeat the run. Null for a saved input, for a start without input, and for an input of more than 64 KB. Not included in lists.',
    ...ANY_JSON,
    nullable: true,
    example: null,
  })
  input_value?: unknown;
  @ApiProperty({ type: NamedDto, nullable: true })
  inputSecret!: NamedDto | null;
  @ApiProperty({
    enum: ACTIONS,
    description: '`start` and `pause`: the run is live. `stop`, `end` and `error`: it has ended.',
  })
  action!: Action;
  @ApiProperty({
    type: WaitingForDto,
    nullable: true,
    description: 'Why the run is waiting; null while it runs, is paused, or has ended.',
  })
  waiting_for!: WaitingForDto | null;
  @ApiProperty({ enum: Object.keys(RUN_ERRORS), nullable: true, description: 'Why the run ended with `error`.' })
  error_code!: RunErrorCode | null;
  @ApiProperty({ type: String, nullable: true, description: 'The error, with its position in your files.' })
  error_stack!: string | null;
  @ApiProperty({
    description: 'The value that `main.js` returned, any JSON; null until the run ends. Not included in lists.',
    ...ANY_JSON,
    nullable: true,
    example: { title: 'Emma' },
  })
  output!: unknown;
  @ApiProperty({ type: 'integer', description: 'Number of the attempt, from 1.' })
  attempt!: number;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the first attempt, if this run is a retry.',
  })
  retry_of!: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the recorded run, if this run is a replay.',
    example: null,
  })
  replay_of!: string | null;
  @ApiProperty({
    type: RunRecordDto,
    nullable: true,
    description: 'The record of the HTTP exchanges, seconds after the end of a run that was recorded; otherwise null.',
  })
  record!: RunRecordDto | null;
  @ApiProperty({
    type: NamedDto,
    nullable: true,
    description: 'The schedule that started the run. The name is empty if the schedule was deleted.',
  })
  schedule!: NamedDto | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The issue that counts the failure, a second after the end. Null if the run has not failed.',
  })
  issue_id!: string | null;
  @ApiProperty({
    type: VerdictDto,
    nullable: true,
    description:
      'Whether the run has stored what it usually stores. Null while the run is live, and for runs that failed, were stopped or stored nothing. In lists, it has at most one finding, the worst, without rows.',
  })
  verdict!: VerdictDto | null;
  @ApiProperty({
    type: 'integer',
    description: 'Number of echoes. While the run is live, this is the number of saved echoes, a few seconds late.',
  })
  last_seq!: number;
  @ApiProperty({
    type: 'integer',
    description:
      'Number of rows that the run has stored with `dataset.push`, including those that you have deleted since; while the run is live, up to a second late.',
  })
  rows!: number;
  @ApiPropertyOptional({
    type: [RunWriteDto],
    description: `Writes of the run with \`@trawl/storage\`, by collection and table. Trawl updates them every few seconds while the run is live. After ${MAX_WRITTEN_NAMES} collections or tables, it adds up all others in one entry. Not included in lists.`,
  })
  writes?: RunWrite[];
  @ApiPropertyOptional({
    type: [UsageSampleDto],
    description: `Processor and memory over time: up to ${MAX_USAGE_SAMPLES} samples, every few seconds, and less often in long runs; while the run is live, up to a minute late. Empty for runs of a few seconds, for runs of older versions, and if the worker cannot measure its runs. Not included in lists.`,
  })
  usage?: UsageSample[];
  @ApiPropertyOptional({
    type: [RequestedHostDto],
    description:
      'HTTP requests of the skript by host, available after the run. For a Puppeteer browser, only page loads count. Empty for old runs, for killed processes, and for runs under two seconds without blocked requests. Not included in lists.',
  })
  requests?: RequestedHost[];
  @ApiPropertyOptional({
    type: ProxyUseDto,
    nullable: true,
    description: 'Use of your proxy pools by the run so far. Null if it used no pool. Not included in lists.',
  })
  proxy_use?: ProxyUseDto | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Hash of the bundle that runs: the `hash` of one of the skript’s versions. Null until it is built, while `waiting_for` is `libraries_resolving`.',
  })
  bundle_hash!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: `${NUMBER_DESCRIPTION} Null until it is built, and after it was deleted.`,
    example: 14,
  })
  version_number!: number | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a worker took the run; null while it waits for one, and for runs of older releases.',
  })
  started_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null while the run is live.' })
  ended_at!: string | null;
}

/** Fields, and columns, of one execution that may be large. */
export const LARGE_FIELDS = ['output', 'input_value', 'writes', 'usage', 'requests', 'proxy_use'] as const;

/** An execution as lists return it. */
export class ListedExecutionDto extends OmitType(ExecutionDto, LARGE_FIELDS) {}

const MAX_SKRIPTS = 100;

export class LatestRunsQuery {
  @UuidsField({
    description: `Ids of up to ${MAX_SKRIPTS} skripts, separated by commas. Ids of other accounts are left out.`,
    max: MAX_SKRIPTS,
  })
  skript_ids!: string;
}

/** A run with the few fields that a chart of many runs needs. */
export class LatestRunDto extends PickType(ExecutionDto, ['id', 'action', 'started_at', 'ended_at', 'created_at']) {
  @ApiProperty({ format: 'uuid' })
  skript_id!: string;
  @ApiProperty({
    enum: VERDICT_LEVELS,
    nullable: true,
    description: 'Level of the verdict; `ok` if you have accepted the rows. Null for a run without a verdict.',
  })
  verdict_level!: VerdictLevel | null;
}

export class LatestRunsDto {
  @ApiProperty({ type: [LatestRunDto], description: 'Newest first, of each skript.' })
  items!: LatestRunDto[];
}

class RunOwnerDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'ada@example.com' })
  username!: string;
}

/** An execution as administrators see it: without the values and error texts, which belong to the owner. */
export class PlatformExecutionDto extends OmitType(ListedExecutionDto, [
  'input',
  'inputSecret',
  'error_stack',
  'verdict',
]) {
  @ApiProperty({ type: RunOwnerDto, nullable: true, description: 'Account of the run; null if it was deleted.' })
  owner!: RunOwnerDto | null;
}
