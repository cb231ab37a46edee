/**
 * One decorator per kind of field: it sets what class-validator checks and what the OpenAPI document says together, so
 * that a DTO reads as a list of fields.
 */
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
} from 'class-validator';

interface Common {
  description: string;
  example?: unknown;
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
}

function field({ optional, nullable, ...documentation }: Common, api: object, ...checks: PropertyDecorator[]) {
  const options = { ...documentation, ...api, ...(nullable ? { nullable } : {}) } as ApiPropertyOptions;
  return applyDecorators(
    optional ? ApiPropertyOptional(options) : ApiProperty(options),
    // `IsOptional` would let null pass as well.
    ...(optional && nullable ? [IsOptional()] : []),
    ...(optional && !nullable ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(!optional && nullable ? [ValidateIf((_, value) => value !== null)] : []),
    ...checks,
  );
}

/** `min` and `max` count characters. PostgreSQL keeps no NUL in a text, so none is taken. */
export const StringField = (
  options: Common & {
    min?: number;
    max: number;
    pattern?: RegExp;
    expected?: string;
    format?: string;
    default?: string;
  },
) => {
  const { min = 0, max, pattern, expected, format, ...common } = options;
  return field(
    common,
    { type: String, minLength: min, maxLength: max, pattern: pattern?.source, format },
    IsString(),
    MinLength(min),
    MaxLength(max),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the character that is refused
    Matches(/^[^\u0000]*$/, { message: '$property must not contain a NUL character' }),
    ...(pattern ? [Matches(pattern, { message: `$property must be ${expected ?? `like ${pattern.source}`}` })] : []),
  );
};

export const UuidField = (options: Common) => field(options, { type: String, format: 'uuid' }, IsUUID());

/** A moment as ISO 8601 with its zone: `2026-02-15T09:30:00Z`. */
export const DateTimeField = (options: Common) =>
  field(
    { example: '2026-02-15T09:30:00.000Z', ...options },
    { type: String, format: 'date-time' },
    ValidateBy({
      name: 'isMoment',
      validator: {
        validate: value => typeof value === 'string' && ISO_MOMENT.test(value) && !Number.isNaN(Date.parse(value)),
        defaultMessage: () => '$property must be a moment such as 2026-02-15T09:30:00Z, with its zone',
      },
    }),
  );

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export const EnumField = (values: readonly string[], options: Common & { default?: string }) =>
  field(
    options,
    { enum: [...values] },
    IsIn([...values], { message: `$property must be one of ${values.join(', ')}` }),
  );

/** Also reads the text of a query parameter. */
export const IntField = (options: Common & { min: number; max: number; default?: number }) => {
  const { min, max, default: byDefault, ...common } = options;
  return field(
    common,
    { type: 'integer', minimum: min, maximum: max, default: byDefault },
    Transform(({ value }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value)),
    IsInt(),
    Min(min),
    Max(max),
  );
};

/** Also reads the text of a query parameter. */
export const BooleanField = (options: Common & { default?: boolean }) => {
  return field(
    options,
    { type: Boolean, default: options.default },
    // `obj` has the value as it was sent; the pipe may have converted it already.
    Transform(({ obj, key, value }) => ({ true: true, false: false })[String(obj[key])] ?? value),
    IsBoolean(),
  );
};

/** Unlike `IsDefined`, takes null, which is a JSON value. */
const IsPresent = () =>
  ValidateBy({
    name: 'isPresent',
    validator: { validate: value => value !== undefined, defaultMessage: () => '$property should not be missing' },
  });

const JSON_FIELD = Symbol('JSON field');

/** Any JSON value, exactly as it was sent (see `StrictValidationPipe`). Its size is checked by the service. */
export const JsonField = (options: Common) =>
  applyDecorators(
    Reflect.metadata(JSON_FIELD, true),
    field(options, { description: options.description, ...ANY_JSON }, ...(options.optional ? [] : [IsPresent()])),
  );

/** A JSON object, exactly as it was sent; what it is and its size are checked by the service. */
export const JsonObjectField = (options: Common) =>
  applyDecorators(
    Reflect.metadata(JSON_FIELD, true),
    field(options, { type: 'object', additionalProperties: true }, ...(options.optional ? [] : [IsPresent()])),
  );

export const isJsonField = (dto: Type, name: string): boolean => Reflect.hasMetadata(JSON_FIELD, dto.prototype, name);

/** Any JSON value, for swagger, which wants a type; `openapi.ts` takes it out again by its format. */
export const ANY_JSON = { type: 'object', additionalProperties: true, format: 'any-json' } as const;
