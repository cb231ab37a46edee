/**
 * One decorator per kind of field: it sets what class-validator checks and what the OpenAPI document says together, so
 * that a DTO reads as a list of fields.
 */
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
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
  /** What it has to be, after "must be". */
  expected?: string;
  example?: unknown;
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
}

function field(
  { optional, nullable, expected, ...documentation }: Common,
  api: object,
  ...checks: PropertyDecorator[]
) {
  const options = { ...documentation, ...api, ...(nullable ? { nullable } : {}) } as ApiPropertyOptions;
  return applyDecorators(
    Reflect.metadata(EXPECTED, expectedOf({ expected, ...documentation, ...api })),
    optional ? ApiPropertyOptional(options) : ApiProperty(options),
    // `IsOptional` would let null pass as well.
    ...(optional && nullable ? [IsOptional()] : []),
    ...(optional && !nullable ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(!optional && nullable ? [ValidateIf((_, value) => value !== null)] : []),
    ...checks,
  );
}

const EXPECTED = Symbol('expected');

/** What a field has to be, for the person who left it out; undefined where the DTO does not say. */
export const expectationOf = (dto: object, name: string): string | undefined =>
  Reflect.getMetadata(EXPECTED, dto, name);

function expectedOf({ expected, type, format, enum: values, minimum, maximum, example }: ExpectedSchema): string {
  if (expected) return expected;
  if (values) return `one of ${values.join(', ')}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  if (type === Boolean) return 'true or false';
  if (format === 'uuid') return 'a UUID';
  if (format === ANY_JSON.format) return 'any JSON value';
  if (type === 'object') return 'a JSON object';
  return typeof example === 'string' && format !== 'password' ? `a text such as ${example}` : 'a text';
}

interface ExpectedSchema {
  expected?: string;
  type?: unknown;
  format?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  example?: unknown;
}

/** `min` and `max` count characters. PostgreSQL keeps no NUL in a text, so none is taken. */
export const StringField = (
  options: Common & {
    min?: number;
    max: number;
    pattern?: RegExp;
    format?: string;
    default?: string;
  },
) => {
  const { min = 0, max, pattern, format, ...common } = options;
  return field(
    common,
    { type: String, minLength: min, maxLength: max, pattern: pattern?.source, format },
    IsString(),
    MinLength(min),
    MaxLength(max),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the character that is refused
    Matches(/^[^\u0000]*$/, { message: '$property must not contain a NUL character' }),
    ...(pattern
      ? [Matches(pattern, { message: `$property must be ${common.expected ?? `like ${pattern.source}`}` })]
      : []),
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

const QUERY_TEXT = Symbol('query text');

/** Says how the text of a query parameter is read, which may not be one of the kind: then it stays as it is. */
const ReadFromQuery = (read: (text: string) => unknown) => Reflect.metadata(QUERY_TEXT, read);

/** What stands in a query has no type but text; what stands in a body has its own, and is left as it is. */
export function readFromQuery(dto: Type, name: string, sent: unknown): unknown {
  const read: ((text: string) => unknown) | undefined = Reflect.getMetadata(QUERY_TEXT, dto.prototype, name);
  return read && typeof sent === 'string' ? read(sent) : sent;
}

export const IntField = (options: Common & { min: number; max: number; default?: number }) => {
  const { min, max, default: byDefault, ...common } = options;
  return field(
    common,
    { type: 'integer', minimum: min, maximum: max, default: byDefault },
    ReadFromQuery(text => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)),
    IsInt(),
    Min(min),
    Max(max),
  );
};

export const BooleanField = (options: Common & { default?: boolean }) =>
  field(
    options,
    { type: Boolean, default: options.default },
    ReadFromQuery(text => (text === 'true' ? true : text === 'false' ? false : text)),
    IsBoolean(),
  );

/** Unlike `IsDefined`, takes null, which is a JSON value. */
const IsPresent = () =>
  ValidateBy({
    name: 'isPresent',
    validator: { validate: value => value !== undefined, defaultMessage: () => '$property is missing' },
  });

/** What a field may hold besides one plain value; without it, objects and lists are of the wrong type. */
export type Holds = 'any JSON' | { fieldsOf: Type } | { atMost: number };

const HOLDS = Symbol('holds');

/**
 * Lets a field hold any JSON value, which comes through untouched; the fields of another class; or a list of plain values.
 * `StrictValidationPipe` copies and checks no more than that.
 */
export const Holding = (holds: Holds) => Reflect.metadata(HOLDS, holds);

export const heldBy = (dto: Type, name: string): Holds | undefined => Reflect.getMetadata(HOLDS, dto.prototype, name);

/** Any JSON value, exactly as it was sent (see `StrictValidationPipe`). Its size is checked by the service. */
export const JsonField = (options: Common) =>
  applyDecorators(
    Holding('any JSON'),
    field(options, { description: options.description, ...ANY_JSON }, ...(options.optional ? [] : [IsPresent()])),
  );

/** A JSON object, exactly as it was sent; what it is and its size are checked by the service. */
export const JsonObjectField = (options: Common) =>
  applyDecorators(
    Holding('any JSON'),
    field(options, { type: 'object', additionalProperties: true }, ...(options.optional ? [] : [IsPresent()])),
  );

/** Any JSON value, for swagger, which wants a type; `openapi.ts` takes it out again by its format. */
export const ANY_JSON = { type: 'object', additionalProperties: true, format: 'any-json' } as const;
