/**
 * One decorator per kind of field. Each sets the class-validator rules and the OpenAPI schema together, so that a DTO
 * reads as a list of fields.
 */
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
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
  type ValidationArguments,
} from 'class-validator';
import { isMailAddress, MAIL_ADDRESS_EXPECTED } from '../common/mail-address.js';

interface Common {
  description: string;
  /** The end of the error message "<field> must be …". */
  expected?: string;
  example?: unknown;
  /** The field may be omitted. */
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
    // `IsOptional` accepts a missing field and null, so it is used only if the field may be both.
    ...(optional && nullable ? [IsOptional()] : []),
    ...(optional && !nullable ? [ValidateIf((_, value) => value !== undefined)] : []),
    ...(!optional && nullable ? [ValidateIf((_, value) => value !== null)] : []),
    ...checks,
  );
}

const EXPECTED = Symbol('expected');

/**
 * Returns a description of the expected value, for the error about a missing field. Returns undefined if the field has
 * no decorator of this file.
 */
export const expectationOf = (dto: object, name: string): string | undefined =>
  Reflect.getMetadata(EXPECTED, dto, name);

function expectedOf({ expected, type, format, enum: values, minimum, maximum, example }: ExpectedSchema): string {
  if (expected) return expected;
  if (values) return `one of ${values.join(', ')}`;
  if (type === 'integer') return `a whole number between ${minimum} and ${maximum}`;
  if (type === Boolean) return 'true or false';
  if (format === 'uuid') return 'a UUID';
  if (format === ANY_JSON.format) return 'any JSON value';
  if (type === 'object') return 'a JSON object';
  return typeof example === 'string' && format !== 'password' ? `text such as ${example}` : 'text';
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

/** Counts a surrogate pair as one character, as `MinLength` and `MaxLength` do. */
const charactersIn = (text: string): number => text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length;

/** `min` and `max` count characters. Refuses NUL characters, because PostgreSQL cannot store them. */
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
  const message = ({ property, value }: ValidationArguments) => {
    if (typeof value !== 'string') return `${property} must be a string`;
    return `${property} must have ${min > 0 ? `between ${min} and` : 'at most'} ${max} characters; you sent ${charactersIn(value)}`;
  };
  return field(
    common,
    { type: String, minLength: min, maxLength: max, pattern: pattern?.source, format },
    IsString(),
    MinLength(min, { message }),
    MaxLength(max, { message }),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the character that is refused
    Matches(/^[^\u0000]*$/, { message: '$property must not contain a NUL character' }),
    ...(pattern
      ? [Matches(pattern, { message: `$property must be ${common.expected ?? `like ${pattern.source}`}` })]
      : []),
  );
};

/** An address that e-mails can be sent to, such as `ada+1@shop.online`. */
export const EmailField = (options: Common) =>
  field(
    { ...options, example: 'ada@example.com', expected: MAIL_ADDRESS_EXPECTED },
    { type: String, format: 'email', minLength: 3, maxLength: MAX_EMAIL_CHARS },
    ValidateBy({
      name: 'isMailAddress',
      validator: {
        validate: value => isMailAddress(value) && value.length <= MAX_EMAIL_CHARS,
        defaultMessage: () => `$property must be ${MAIL_ADDRESS_EXPECTED}, with at most ${MAX_EMAIL_CHARS} characters`,
      },
    }),
  );

const MAX_EMAIL_CHARS = 254;

export const UuidField = (options: Common) => field(options, { type: String, format: 'uuid' }, IsUUID());

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** From 1 to `max` UUIDs as one text, separated by commas, for a query. */
export const UuidsField = ({ max, ...options }: { description: string; max: number }) =>
  StringField({
    expected: `up to ${max} UUIDs, separated by commas`,
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
    max: max * 37,
    pattern: new RegExp(`^${UUID}(,${UUID}){0,${max - 1}}$`),
    ...options,
  });

/** An ISO 8601 date and time with a time zone: `2026-02-15T09:30:00Z`. */
export const DateTimeField = (options: Common) =>
  field(
    { example: '2026-02-15T09:30:00.000Z', ...options },
    { type: String, format: 'date-time' },
    ValidateBy({
      name: 'isDateTime',
      validator: {
        validate: value => typeof value === 'string' && ISO_DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
        defaultMessage: () => '$property must be a date and time with a time zone, such as 2026-02-15T09:30:00Z',
      },
    }),
  );

const ISO_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export const EnumField = (values: readonly string[], options: Common & { default?: string }) =>
  field(
    options,
    { enum: [...values] },
    IsIn([...values], { message: `$property must be one of ${values.join(', ')}` }),
  );

const QUERY_TEXT = Symbol('query text');

/** Converts the text of a query parameter. If it cannot, it returns the text unchanged. */
export type QueryReader = (text: string) => unknown;

/** Sets how the text of a query parameter is converted to its type. */
const ReadFromQuery = (read: QueryReader) => Reflect.metadata(QUERY_TEXT, read);

export const queryReaderOf = (dto: Type, name: string): QueryReader | undefined =>
  Reflect.getMetadata(QUERY_TEXT, dto.prototype, name);

export const IntField = (options: Common & { min: number; max: number; default?: number }) => {
  const { min, max, default: byDefault, ...common } = options;
  const message = ({ property, value }: ValidationArguments) => {
    const sent =
      typeof value === 'number' || typeof value === 'string' ? `; you sent ${String(value).slice(0, 50)}` : '';
    return `${property} must be a whole number between ${min} and ${max}${sent}`;
  };
  return field(
    common,
    { type: 'integer', minimum: min, maximum: max, default: byDefault },
    ReadFromQuery(text => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
};

/** A number that may have a fraction. */
export const NumberField = ({ min, max, ...common }: Common & { min: number; max: number; default?: number }) => {
  const message = `$property must be a number between ${min} and ${max}`;
  return field(
    { expected: `a number between ${min} and ${max}`, ...common },
    { type: 'number', minimum: min, maximum: max },
    IsNumber({}, { message }),
    Min(min, { message }),
    Max(max, { message }),
  );
};

export const BooleanField = (options: Common & { default?: boolean }) =>
  field(
    options,
    { type: Boolean, default: options.default },
    ReadFromQuery(text => (text === 'true' ? true : text === 'false' ? false : text)),
    IsBoolean(),
  );

/** Refuses only a missing field. It accepts null, which `IsDefined` refuses, because null is a JSON value. */
const IsPresent = () =>
  ValidateBy({
    name: 'isPresent',
    validator: { validate: value => value !== undefined, defaultMessage: () => '$property is missing' },
  });

/**
 * Which objects or arrays a field accepts: any JSON, an object with the fields of a class, or a list with a limited
 * length. A field without this setting refuses all objects and arrays.
 */
export type Holds = 'any JSON' | { fieldsOf: Type } | { atMost: number };

const HOLDS = Symbol('holds');

/**
 * Lets a field accept objects or arrays: any JSON value, which is passed on unchanged; an object with the fields of
 * another class; or a list of plain values. `StrictValidationPipe` reads this setting.
 */
export const Holding = (holds: Holds) => Reflect.metadata(HOLDS, holds);

export const heldBy = (dto: Type, name: string): Holds | undefined => Reflect.getMetadata(HOLDS, dto.prototype, name);

/** Any JSON value, passed on unchanged (see `StrictValidationPipe`). The service checks its size. */
export const JsonField = (options: Common) =>
  applyDecorators(
    Holding('any JSON'),
    field(options, { description: options.description, ...ANY_JSON }, ...(options.optional ? [] : [IsPresent()])),
  );

/** A JSON object, passed on unchanged. The service checks that it is an object, and its size. */
export const JsonObjectField = (options: Common) =>
  applyDecorators(
    Holding('any JSON'),
    field(options, { type: 'object', additionalProperties: true }, ...(options.optional ? [] : [IsPresent()])),
  );

/**
 * Placeholder schema for any JSON value, because Swagger requires a type. `openapi.ts` recognises it by its format and
 * replaces it.
 */
export const ANY_JSON = { type: 'object', additionalProperties: true, format: 'any-json' } as const;
