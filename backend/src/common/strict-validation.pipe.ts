import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { isNestedDeeper } from '@trawl/contracts';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { ApiError } from './errors.js';
import { expectationOf, heldBy, readFromQuery } from './fields.js';

/** Levels within a value of a `JsonField`: PostgreSQL and whoever reads it take them without running out of stack. */
export const MAX_JSON_LEVELS = 500;
/** Unknown fields that an answer names; it does not grow with what was sent. */
const MAX_NAMED = 20;
const MAX_NAME_CHARS = 100;

type Fields = Record<string, unknown>;
type Detail = { field: string; message: string };

/**
 * Nest's pipe, which builds the value again by class: that costs much for each field and each object, and would lose some
 * of what was sent. So it gets what the class knows and no more: unknown fields are refused before it, a value that may be
 * any JSON comes through untouched, and where a plain value belongs an object or a list goes in as an empty one.
 */
@Injectable()
export class StrictValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (type === 'body') refuseOtherThanObjects(value);
    if (!metatype || !this.toValidate(metadata) || !isContainer(value)) return super.transform(value, metadata);
    const dto = metatype as Type;
    const fields = value as Fields;
    refuse(unknownFields(dto, fields), 'is not a field of this call');
    const untouched = Object.keys(fields).filter(name => heldBy(dto, name) === 'any JSON');
    const deep = untouched.filter(name => isNestedDeeper(fields[name], MAX_JSON_LEVELS));
    refuse(deep, `must not be nested deeper than ${MAX_JSON_LEVELS} levels`);
    const typed = type === 'query' ? mapFields(fields, (sent, name) => readFromQuery(dto, name, sent)) : fields;
    const result = (await super.transform(withoutExcess(dto, typed), metadata)) as Fields;
    for (const name of untouched) result[name] = fields[name];
    return result;
  }
}

/** The class of a body has fields; without a body each of them is missing. */
function refuseOtherThanObjects(body: unknown): void {
  if (body === undefined || (isContainer(body) && !Array.isArray(body))) return;
  const got = body === null ? 'null' : Array.isArray(body) ? 'a list' : `a ${typeof body}`;
  throw new ApiError('validation_failed', `The body must be a JSON object, with fields by their names; it is ${got}.`);
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const mapFields = (fields: Fields, map: (value: unknown, name: string) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));

const knownFields = new Map<Type, ReadonlySet<string>>();

/** By the rules that they have; a name that every object has (`constructor`, `__proto__`) is as unknown as any other. */
function fieldsOf(dto: Type): ReadonlySet<string> {
  let known = knownFields.get(dto);
  if (!known) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    known = new Set(rules.map(({ propertyName }) => propertyName));
    knownFields.set(dto, known);
  }
  return known;
}

/** Of the class and of those within it, by their whole names. */
function unknownFields(dto: Type, fields: Fields, within = ''): string[] {
  const known = fieldsOf(dto);
  const unknown = Object.keys(fields).filter(name => !known.has(name));
  const nested = [...known].flatMap(name => {
    const holds = heldBy(dto, name);
    const value = fields[name];
    return typeof holds === 'object' && 'fieldsOf' in holds && isContainer(value) && !Array.isArray(value)
      ? unknownFields(holds.fieldsOf, value as Fields, `${within}${name}.`)
      : [];
  });
  return [...unknown.map(name => within + name), ...nested];
}

/** What each field may hold, and of anything else as much as shows that it is wrong. */
function withoutExcess(dto: Type, fields: Fields): Fields {
  return mapFields(fields, (value, name) => {
    const holds = heldBy(dto, name);
    // Null stands for each: any JSON value is one that the field takes.
    if (holds === 'any JSON') return null;
    if (!isContainer(value)) return value;
    if (Array.isArray(value)) return holds && 'atMost' in holds ? value.slice(0, holds.atMost + 1).map(emptied) : [];
    return holds && 'fieldsOf' in holds ? withoutExcess(holds.fieldsOf, value as Fields) : {};
  });
}

const emptied = (value: unknown): unknown => (isContainer(value) ? {} : value);

/** As every route checks what it is sent. */
export const strictValidation = (): StrictValidationPipe =>
  new StrictValidationPipe({
    transform: true,
    stopAtFirstError: true,
    validationError: { target: true },
    exceptionFactory: errors => validationFailed(errors.flatMap(error => detailsOf(error, error.property))),
  });

function refuse(names: string[], why: string): void {
  if (names.length === 0) return;
  const details = names.slice(0, MAX_NAMED).map(name => {
    const field = name.slice(0, MAX_NAME_CHARS);
    return { field, message: `${field} ${why}` };
  });
  throw validationFailed(details, names.length - details.length);
}

function validationFailed(details: Detail[], more = 0): ApiError {
  const texts = [...details.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])];
  return new ApiError('validation_failed', texts.join('; '), details);
}

/** Of the field itself, or of those within it that are wrong, each by its whole name. */
function detailsOf(error: ValidationError, field: string): Detail[] {
  const { property, constraints, children = [] } = error;
  const own = constraints ? [{ field, message: messageOf(error).replace(property, () => field) }] : [];
  return [...own, ...children.flatMap(child => detailsOf(child, `${field}.${child.property}`))];
}

function messageOf({ property, constraints = {}, target, value }: ValidationError): string {
  if (target === undefined || value !== undefined) return Object.values(constraints)[0] as string;
  // Each rule that a missing field breaks would tell of something else.
  const expected = expectationOf(target, property);
  return `${property} is missing${expected ? `: ${expected}` : ''}`;
}
