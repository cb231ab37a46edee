import { applyDecorators, type Type } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import { StringField } from './fields.js';

/** A kind of resource whose name callers may send wherever they send its id. */
interface NamedResource {
  noun: string;
  /** The field with the resource's name. */
  name: 'title' | 'name';
  maxChars: number;
}

/** The ids for which callers may send a name instead. `NamedIdsInterceptor` replaces the name before validation. */
export const NAMED_IDS: Readonly<Record<string, NamedResource>> = {
  skript_id: { noun: 'skript', name: 'title', maxChars: 120 },
  db_id: { noun: 'database', name: 'name', maxChars: 60 },
};

const TAKES_NAME = Symbol('takes a name');

/** Returns whether callers may send a name in this field of a body or query. */
export const takesName = (dto: Type, field: string): boolean =>
  Reflect.getMetadata(TAKES_NAME, dto.prototype, field) ?? false;

const EXAMPLE = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

/** The id of a skript, or the exact title of one of the caller's own skripts. */
export const SkriptIdField = ({ description, optional = false }: { description: string; optional?: boolean }) => {
  const expected = 'the id of a skript, or the exact title of one of your skripts';
  return applyDecorators(
    Reflect.metadata(TAKES_NAME, true),
    StringField({
      description: `${description} Its id, or its exact title.`,
      example: EXAMPLE,
      min: 1,
      max: NAMED_IDS.skript_id?.maxChars ?? 0,
      expected,
      optional,
    }),
    IsUUID(undefined, { message: `$property must be ${expected}` }),
  );
};
