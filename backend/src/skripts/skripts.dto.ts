import { applyDecorators } from '@nestjs/common';
import { ApiProperty, IntersectionType, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { ENVIRONMENTS, type Environment, LIMITS } from '@trawl/contracts';
import { Transform } from 'class-transformer';
import { Equals } from 'class-validator';
import { DeletedDto, EntityDto } from '../common/entity.js';
import { BooleanField, EnumField, IntField, JsonObjectField, StringField } from '../common/fields.js';
import { IgnoredFields } from '../common/ignored-fields.js';
import { SelectQuery } from '../common/list-query.js';

const title = {
  description: 'Unique among your skripts. Spaces at its ends are taken off.',
  example: 'Books catalogue',
  min: 1,
  max: 120,
  pattern: /\S/,
  expected: 'a text of more than spaces',
};
const { min, max, default: defaultTimeoutMs } = LIMITS.workerResponseTimeoutMs;
/** Said of a field and of the answer alike. */
const WARM =
  'Whether its process may be kept for its owner’s next run of the same code with the same libraries, secret and limits on the same worker. What a run leaves in memory, the next one finds.';
const RETRIES =
  'How many times a run that ended `error` is started again. What a skript did before it failed may then be done twice.';
const RETRY_DELAY_MS = 'How long after its end a run is started again, in ms.';
const INPUT_SCHEMA =
  'A JSON Schema (draft 2020-12, or draft-07 when its `$schema` says so) of the input, from which a form can be made. Inputs are not held to it.';
const INPUT_SCHEMA_EXAMPLE = {
  type: 'object',
  properties: { base_url: { type: 'string', format: 'uri' } },
  required: ['base_url'],
};

const TitleField = (optional = false) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    StringField({ ...title, optional }),
  );

class SkriptFields {
  @StringField({ description: 'What it does.', max: 10_000, optional: true })
  description?: string;

  @StringField({
    description: 'A picture: an https address or a data:image address, up to 200 KB. Empty for none.',
    max: 200 * 1024,
    pattern: /^(https:\/\/\S+|data:image\/(png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/=]+)?$/,
    expected: 'empty, an https address or a data:image/…;base64 address',
    optional: true,
  })
  thumbnail?: string;

  @StringField({
    description: 'A word of your choice to group skripts by.',
    example: 'general',
    min: 1,
    max: 60,
    optional: true,
  })
  category?: string;

  @EnumField(ENVIRONMENTS, { description: 'What a run of it finds on the worker.', default: 'nodejs', optional: true })
  environment?: Environment;

  @IntField({ description: 'How long a run may take, in ms.', min, max, default: defaultTimeoutMs, optional: true })
  worker_response_timeout?: number;

  @BooleanField({ description: WARM, default: false, optional: true })
  warm?: boolean;

  @IntField({ description: RETRIES, ...LIMITS.retries, optional: true })
  retries?: number;

  @IntField({ description: RETRY_DELAY_MS, ...LIMITS.retryDelayMs, optional: true })
  retry_delay_ms?: number;

  @JsonObjectField({
    description: `${INPUT_SCHEMA} Up to ${LIMITS.inputSchemaBytes} bytes, complete in itself: a \`$ref\` begins with \`#\`. Null for none.`,
    example: INPUT_SCHEMA_EXAMPLE,
    optional: true,
    nullable: true,
  })
  input_schema?: object | null;
}

export class CreateSkriptDto extends SkriptFields {
  @TitleField()
  title!: string;
}

@IgnoredFields('id', 'howto', 'files', 'stale', 'bundle_hash', 'created_at', 'updated_at')
export class UpdateSkriptDto extends SkriptFields {
  @TitleField(true)
  title?: string;
}

/** manifest.json of an archive. `howto` and `files` come from the files, whatever it says. */
@IgnoredFields('id', 'howto', 'files', 'stale', 'bundle_hash', 'created_at', 'updated_at')
export class ManifestDto extends CreateSkriptDto {}

export class SkriptsQuery extends SelectQuery {
  @StringField({ description: 'Only skripts whose title has this in it, in any case.', max: 120, optional: true })
  title_contains?: string;

  @StringField({ description: 'Only skripts of this category.', max: 60, optional: true })
  category?: string;
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
  @ApiProperty({ type: 'integer', description: 'How long a run may take, in ms.', example: defaultTimeoutMs })
  worker_response_timeout!: number;
  @ApiProperty({ description: WARM })
  warm!: boolean;
  @ApiProperty({ type: 'integer', description: RETRIES, example: 0 })
  retries!: number;
  @ApiProperty({ type: 'integer', description: RETRY_DELAY_MS, example: LIMITS.retryDelayMs.default })
  retry_delay_ms!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: `${INPUT_SCHEMA} Null for none. Lists have it when \`select\` names it.`,
    example: INPUT_SCHEMA_EXAMPLE,
  })
  input_schema!: object | null;
  @ApiProperty({
    description: 'Text of the file howto.html or howto.md, empty without one. Lists have its first 10,000 characters.',
  })
  howto!: string;
  @ApiProperty({ type: [SkriptFileSummaryDto] })
  files!: SkriptFileSummaryDto[];
  @ApiProperty({ description: 'True when the bundle is missing or older than the files.' })
  stale!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'SHA-256 of the last bundle.' })
  bundle_hash!: string | null;
}

/** As a list answers it: `select` may leave out everything but the id. */
export class SelectedSkriptDto extends IntersectionType(
  PickType(SkriptDto, ['id']),
  PartialType(OmitType(SkriptDto, ['id'])),
) {}

export class PurgeSkriptsDto {
  @BooleanField({ description: 'True, so that nobody deletes everything by mistake.', example: true })
  @Equals(true, { message: '$property must be true' })
  confirm!: true;
}

class KeptSkriptDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ example: 'Books catalogue' })
  title!: string;
  @ApiProperty({ format: 'uuid', description: 'The run that goes on.' })
  execution_id!: string;
}

export class PurgedDto extends DeletedDto {
  @ApiProperty({ type: [KeptSkriptDto], description: 'Skripts that stay, because a run of them goes on.' })
  kept!: KeptSkriptDto[];
}
