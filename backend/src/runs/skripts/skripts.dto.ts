import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, IntersectionType, OmitType, PartialType, PickType } from '@nestjs/swagger';
import {
  ENVIRONMENTS,
  type Environment,
  LIMITS,
  PROXY_POOL_NAME,
  PROXY_POOL_NAME_EXPECTED,
  RECORD_MODES,
  type RecordMode,
  type RowContract,
} from '@trawl/contracts';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayUnique, Equals, IsArray, IsOptional, Matches, ValidateIf } from 'class-validator';
import { DeletedDto, EntityDto } from '../../platform/common/entity.js';
import {
  BooleanField,
  EnumField,
  Holding,
  IntField,
  JsonObjectField,
  StringField,
} from '../../platform/http/fields.js';
import { SelectQuery } from '../../platform/http/lists/list-query.js';
import { ChangesOf } from '../../platform/http/updates/changes-of.js';
import { IgnoredFields } from '../../platform/http/updates/ignored-fields.js';
import { RowContractDto } from './contracts/row-contract.dto.js';
import { LAST_RESULTS, type LastResult } from './last-results.js';

const title = {
  description:
    'Unique among your skripts, in one line without control characters. Trawl trims leading and trailing spaces.',
  example: 'Books catalogue',
  min: 1,
  max: 120,
  pattern: /\S/,
  expected: 'a text that is not blank',
};
/** Descriptions that are used for both the request and the response. */
const WORKER_RESPONSE_TIMEOUT =
  'How long a call that starts the skript waits for the end of the run, in ms, unless it sends `wait_ms`; 60 s at most. Does not limit the run: `time_limit_ms` does.';
const TIME_LIMIT_MS =
  'Time limit of a run, in ms, unless its start sends `timeout_ms`. A run that exceeds it ends with the error `time_limit`.';
const WARM =
  'Whether a worker may reuse the process of a run for your next run with the same code, libraries, secret and limits. The next run finds whatever the previous one left in memory.';
const RETRIES =
  'How many times a run that ends with `error` is retried. A retry may repeat what the skript did before it failed.';
const RETRY_DELAY_MS = 'Delay before a retry, in ms.';
const KEEP_EXCHANGES =
  'Whether Trawl keeps the last HTTP exchanges of a run that fails or whose rows are broken. Secrets, cookies and authorizations are removed.';
const POLITE =
  'Whether the requests of its runs wait, so that all polite runs of the account together stay within the budget of each domain. 429 and 503 close a domain for a while.';
const PROXY =
  'Name of a pool of your proxies, through which all connections of its runs go. Null: no proxies. Runs fail if there is no such pool.';
const INPUT_SCHEMA =
  'JSON Schema of the input, for generating a form (draft 2020-12, or draft-07 if `$schema` names it). Trawl does not validate inputs against it.';
const INPUT_SCHEMA_EXAMPLE = {
  type: 'object',
  properties: { base_url: { type: 'string', format: 'uri' } },
  required: ['base_url'],
};
const ROWS = 'The contract: what the rows that each run stores with `dataset.push` must be like. Null for no contract.';

const TitleField = (optional = false) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    StringField({ ...title, optional }),
    // Titles are shown in terminals and logs, and in lists of one line.
    Matches(/^[^\p{Cc}\u2028\u2029]*$/u, { message: '$property must be one line without control characters' }),
  );

class SkriptFields {
  @StringField({ description: 'What the skript does.', max: 10_000, optional: true })
  description?: string;

  @StringField({
    description: 'Image as an https URL or a data:image URL, up to 200 KB. Empty for no image.',
    max: 200 * 1024,
    pattern: /^(https:\/\/\S+|data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/=]+)?$/,
    expected: 'empty, an https URL or a data:image/…;base64 URL',
    optional: true,
  })
  thumbnail?: string;

  @StringField({
    description: 'Any text to group skripts by.',
    example: 'general',
    min: 1,
    max: 60,
    optional: true,
  })
  category?: string;

  @EnumField(ENVIRONMENTS, {
    description: 'Environment that its runs need on the worker.',
    default: 'nodejs',
    optional: true,
  })
  environment?: Environment;

  @IntField({ description: WORKER_RESPONSE_TIMEOUT, ...LIMITS.workerResponseTimeoutMs, optional: true })
  worker_response_timeout?: number;

  @IntField({ description: TIME_LIMIT_MS, ...LIMITS.timeLimitMs, optional: true })
  time_limit_ms?: number;

  @BooleanField({ description: WARM, default: false, optional: true })
  warm?: boolean;

  @IntField({ description: RETRIES, ...LIMITS.retries, optional: true })
  retries?: number;

  @IntField({ description: RETRY_DELAY_MS, ...LIMITS.retryDelayMs, optional: true })
  retry_delay_ms?: number;

  @BooleanField({ description: KEEP_EXCHANGES, default: true, optional: true })
  keep_exchanges?: boolean;

  @BooleanField({ description: POLITE, default: false, optional: true })
  polite?: boolean;

  @StringField({
    description: PROXY,
    example: 'residential',
    min: 1,
    max: 100,
    pattern: PROXY_POOL_NAME,
    expected: PROXY_POOL_NAME_EXPECTED,
    optional: true,
    nullable: true,
  })
  proxy?: string | null;

  @JsonObjectField({
    description: `${INPUT_SCHEMA} Up to ${LIMITS.inputSchemaBytes} bytes and self-contained: each \`$ref\` must begin with \`#\`. Null for no schema.`,
    example: INPUT_SCHEMA_EXAMPLE,
    optional: true,
    nullable: true,
  })
  input_schema?: object | null;

  @ApiPropertyOptional({ type: RowContractDto, nullable: true, description: ROWS })
  @Holding('any JSON')
  @IsOptional()
  rows?: RowContract | null;
}

/** The content of a manifest. */
class TitledSkriptFields extends SkriptFields {
  @TitleField()
  title!: string;
}

const MAX_TAGS = 10;
const MAX_TAG_CHARS = 30;
/** A tag is one line, and has no comma, because commas separate tags where they are typed. */
const TAG = new RegExp(`^(?! )[^,\\p{Cc}\\u2028\\u2029]{1,${MAX_TAG_CHARS}}(?<! )$`, 'u');
const TAGS = `Words to find the skript by: up to ${MAX_TAGS}, each of up to ${MAX_TAG_CHARS} characters without commas. An upload keeps them.`;
const FAVOURITE = 'Whether the panel lists the skript first. An upload keeps it.';
const RECORD =
  'Which of its runs are recorded, so that you can replay them: none (`off`), only the next one, or all (`always`). An upload keeps it.';
const TAG_EXAMPLES = ['daily', 'prices'];

export class CreateSkriptDto extends TitledSkriptFields {
  @ApiPropertyOptional({
    description: TAGS,
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_TAG_CHARS },
    maxItems: MAX_TAGS,
    uniqueItems: true,
    example: TAG_EXAMPLES,
  })
  @ValidateIf((_, value) => value !== undefined)
  @Holding({ atMost: MAX_TAGS })
  // Checked from the last to the first.
  @Matches(TAG, {
    each: true,
    message: `each of $property must have 1 to ${MAX_TAG_CHARS} characters, without commas and without spaces at its ends`,
  })
  @ArrayUnique({ message: '$property must name each tag once' })
  @ArrayMaxSize(MAX_TAGS)
  @IsArray()
  tags?: string[];

  @BooleanField({ description: FAVOURITE, default: false, optional: true })
  favourite?: boolean;

  @EnumField(RECORD_MODES, { description: RECORD, default: 'off', optional: true })
  record?: RecordMode;
}

@IgnoredFields('id', 'howto', 'files', 'stale', 'bundle_hash', 'next_fire_at', 'created_at', 'updated_at')
export class UpdateSkriptDto extends ChangesOf(CreateSkriptDto) {}

/**
 * The content of manifest.json in an archive. Its `howto` and `files` are ignored, because the archive's own files
 * contain them.
 */
@IgnoredFields('id', 'howto', 'files', 'stale', 'bundle_hash', 'created_at', 'updated_at')
export class ManifestDto extends TitledSkriptFields {}

export class SkriptsQuery extends SelectQuery {
  @StringField({
    description: 'Return only skripts whose title contains this text, ignoring case.',
    max: 120,
    optional: true,
  })
  title_contains?: string;

  @StringField({ description: 'Return only skripts of this category.', max: 60, optional: true })
  category?: string;

  @StringField({
    description: 'Return only skripts with this tag.',
    example: 'daily',
    max: MAX_TAG_CHARS,
    optional: true,
  })
  tag?: string;

  @EnumField(LAST_RESULTS, {
    description:
      'Return only skripts whose newest run, apart from replays, has this result: `live` has not ended, `broken` has ended with broken rows, `end` has ended without these, and `none` finds skripts without runs.',
    optional: true,
  })
  last_result?: LastResult;
}

export class SkriptFileSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'main.js' })
  name!: string;
  @ApiProperty({ type: 'integer', description: 'In bytes.', example: 812 })
  size!: number;
}

export class SkriptDto extends EntityDto {
  @ApiProperty({ example: 'Books catalogue' })
  title!: string;
  @ApiProperty()
  description!: string;
  @ApiProperty()
  thumbnail!: string;
  @ApiProperty({ example: 'general' })
  category!: string;
  @ApiProperty({ enum: ENVIRONMENTS })
  environment!: Environment;
  @ApiProperty({
    type: 'integer',
    description: WORKER_RESPONSE_TIMEOUT,
    example: LIMITS.workerResponseTimeoutMs.default,
  })
  worker_response_timeout!: number;
  @ApiProperty({ type: 'integer', description: TIME_LIMIT_MS, example: LIMITS.timeLimitMs.default })
  time_limit_ms!: number;
  @ApiProperty({ description: WARM })
  warm!: boolean;
  @ApiProperty({ type: 'integer', description: RETRIES, example: 0 })
  retries!: number;
  @ApiProperty({ type: 'integer', description: RETRY_DELAY_MS, example: LIMITS.retryDelayMs.default })
  retry_delay_ms!: number;
  @ApiProperty({ description: KEEP_EXCHANGES })
  keep_exchanges!: boolean;
  @ApiProperty({ description: POLITE })
  polite!: boolean;
  @ApiProperty({ type: String, nullable: true, description: PROXY, example: null })
  proxy!: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `${INPUT_SCHEMA} Null for no schema. Lists contain it only if \`select\` names it.`,
    example: INPUT_SCHEMA_EXAMPLE,
  })
  input_schema!: object | null;
  @ApiProperty({
    type: RowContractDto,
    nullable: true,
    description: `${ROWS} Lists contain it only if \`select\` names it.`,
  })
  rows!: RowContract | null;
  @ApiProperty({ description: TAGS, type: [String], example: TAG_EXAMPLES })
  tags!: string[];
  @ApiProperty({ description: FAVOURITE })
  favourite!: boolean;
  @ApiProperty({ enum: RECORD_MODES, description: RECORD })
  record!: RecordMode;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The next fire of the skript’s schedules; null if none is enabled. Lists contain it only if `select` names it.',
  })
  next_fire_at!: string | null;
  @ApiProperty({
    description:
      'Content of howto.html or howto.md; empty if there is no such file. Lists contain its first 10,000 characters.',
  })
  howto!: string;
  @ApiProperty({ type: [SkriptFileSummaryDto] })
  files!: SkriptFileSummaryDto[];
  @ApiProperty({ description: 'True if the bundle is missing or older than the files.' })
  stale!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'SHA-256 of the last bundle.' })
  bundle_hash!: string | null;
}

/** A skript in a list. `select` may leave out every field except the id. */
export class SelectedSkriptDto extends IntersectionType(
  PickType(SkriptDto, ['id']),
  PartialType(OmitType(SkriptDto, ['id'])),
) {}

export class PurgeSkriptsDto {
  @BooleanField({ description: 'Must be true, as a safeguard against deleting everything by mistake.', example: true })
  @Equals(true, { message: '$property must be true' })
  confirm!: true;
}

class KeptSkriptDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'Books catalogue' })
  title!: string;
  @ApiProperty({ format: 'uuid', description: 'The live run.' })
  execution_id!: string;
}

export class PurgedDto extends DeletedDto {
  @ApiProperty({ type: [KeptSkriptDto], description: 'Skripts that were kept because they are running.' })
  kept!: KeptSkriptDto[];
}
