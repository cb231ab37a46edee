import { applyDecorators, type Type } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import { StringField } from '../fields.js';

/** A kind of resource whose name callers may send wherever they send its id. */
interface NamedResource {
  noun: string;
  /** The field with the resource's name. */
  name: 'title' | 'name';
  maxChars: number;
}

/** The ids for which callers may send a name instead. `NamedIdsInterceptor` replaces the name before validation. */
export const NAMED_IDS: Readonly<Record<'skript_id' | 'db_id', NamedResource>> = {
  skript_id: { noun: 'skript', name: 'title', maxChars: 120 },
  db_id: { noun: 'database', name: 'name', maxChars: 60 },
};

/** Ids for which callers may send a name in calls that also have a `skript_id`: the name is unique within a skript. */
export const NAMED_PARTS: Readonly<Record<'input_id' | 'inputSecret_id', NamedResource>> = {
  input_id: { noun: 'input', name: 'name', maxChars: 120 },
  inputSecret_id: { noun: 'input secret', name: 'name', maxChars: 120 },
};

/** Returns the resource whose name a path may have instead of its id; undefined if the parameter takes only an id. */
export const namedInPath = (parameter: string): NamedResource | undefined =>
  Object.hasOwn(NAMED_IDS, parameter) ? NAMED_IDS[parameter as keyof typeof NAMED_IDS] : undefined;

const TAKES_NAME = Symbol('takes a name');

/** Returns whether callers may send a name in this field of a body or query. */
export const takesName = (dto: Type, field: string): boolean =>
  Reflect.getMetadata(TAKES_NAME, dto.prototype, field) ?? false;

const EXAMPLE = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

interface Options {
  description: string;
  optional?: boolean;
  nullable?: boolean;
}

function namedIdField({ description, ...options }: Options, { name, maxChars }: NamedResource, expected: string) {
  return applyDecorators(
    Reflect.metadata(TAKES_NAME, true),
    StringField({
      description: `${description} Its id, or its exact ${name}.`,
      example: EXAMPLE,
      min: 1,
      max: maxChars,
      expected,
      ...options,
    }),
    IsUUID(undefined, { message: `$property must be ${expected}` }),
  );
}

/** The id of a skript, or the exact title of one of the caller's own skripts. */
export const SkriptIdField = (options: Options) =>
  namedIdField(options, NAMED_IDS.skript_id, 'the id of a skript, or the exact title of one of your skripts');

/** The id of a MongoDB database, or the exact name of one of the caller's own databases. */
export const DatabaseIdField = (options: Options) =>
  namedIdField(options, NAMED_IDS.db_id, 'the id of a database, or the exact name of one of your databases');

/** The id of a saved input, or with `skript_id`, its exact name. */
export const InputIdField = (options: Options) =>
  namedIdField(options, NAMED_PARTS.input_id, 'the id of a saved input, or with skript_id, its exact name');

/** The id of a saved input secret, or with `skript_id`, its exact name. */
export const InputSecretIdField = (options: Options) =>
  namedIdField(
    options,
    NAMED_PARTS.inputSecret_id,
    'the id of a saved input secret, or with skript_id, its exact name',
  );
