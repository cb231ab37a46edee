import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { isNestedDeeper } from '@trawl/contracts';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { ApiError } from '../common/errors.js';
import { expectationOf, heldBy, readFromQuery } from './fields.js';

/**
 * Maximum number of nested levels in a `JsonField`. PostgreSQL and all code that reads the value can process this many
 * without exhausting the stack.
 */
export const MAX_JSON_LEVELS = 500;
/** Maximum number of fields that an error names, so that it does not grow with the request. */
const MAX_NAMED = 20;
const MAX_NAME_CHARS = 100;

type Fields = Record<string, unknown>;
type Detail = { field: string; message: string };

/**
 * A validation pipe that gives Nest's validation pipe only the fields that the DTO declares. Nest's pipe copies every
 * object it gets, which is slow and can lose data. So this pipe first refuses unknown fields. It passes `any JSON`
 * values on unchanged. If an object or array was sent where the DTO has a plain value, it gives Nest's pipe an empty
 * one.
 */
@Injectable()
export class StrictValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (type === 'body') assertObject(value);
    if (!metatype || !this.toValidate(metadata) || !isContainer(value)) return super.transform(value, metadata);
    const dto = metatype as Type;
    const fields = value as Fields;
    refuseFields(unknownFields(dto, fields), 'is not a field of this call');
    const untouched = Object.keys(fields).filter(name => heldBy(dto, name) === 'any JSON');
    const deep = untouched.filter(name => isNestedDeeper(fields[name], MAX_JSON_LEVELS));
    refuseFields(deep, `must not be nested deeper than ${MAX_JSON_LEVELS} levels`);
    const typed = type === 'query' ? mapFields(fields, (sent, name) => readFromQuery(dto, name, sent)) : fields;
    const result = (await super.transform(withoutExcess(dto, typed), metadata)) as Fields;
    for (const name of untouched) result[name] = fields[name];
    return result;
  }
}

/** Refuses bodies that are not objects. Without a body, validation reports each required field as missing. */
function assertObject(body: unknown): void {
  if (body === undefined || (isContainer(body) && !Array.isArray(body))) return;
  const got = body === null ? 'null' : Array.isArray(body) ? 'an array' : `a ${typeof body}`;
  throw new ApiError('validation_failed', `The body must be a JSON object; you sent ${got}.`);
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const mapFields = (fields: Fields, map: (value: unknown, name: string) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]));

const knownFields = new Map<Type, ReadonlySet<string>>();

/**
 * Names of the fields that have validation rules. Names that every object has, such as `constructor`, are not among
 * them.
 */
export function fieldsOf(dto: Type): ReadonlySet<string> {
  let known = knownFields.get(dto);
  if (!known) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    known = new Set(rules.map(({ propertyName }) => propertyName));
    knownFields.set(dto, known);
  }
  return known;
}

/** Returns unknown fields with their full paths, including those of nested classes. */
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

/**
 * Removes everything from the values that their fields do not accept. An object or array that is not accepted becomes
 * empty, so that validation can still refuse it.
 */
function withoutExcess(dto: Type, fields: Fields): Fields {
  return mapFields(fields, (value, name) => {
    const holds = heldBy(dto, name);
    // Use null as a placeholder: the field accepts every JSON value, so there is nothing to validate.
    if (holds === 'any JSON') return null;
    if (!isContainer(value)) return value;
    if (Array.isArray(value)) return holds && 'atMost' in holds ? value.slice(0, holds.atMost + 1).map(emptied) : [];
    return holds && 'fieldsOf' in holds ? withoutExcess(holds.fieldsOf, value as Fields) : {};
  });
}

const emptied = (value: unknown): unknown => (isContainer(value) ? {} : value);

/** Creates the pipe that validates the input of every route. */
export const strictValidation = (): StrictValidationPipe =>
  new StrictValidationPipe({
    transform: true,
    stopAtFirstError: true,
    validationError: { target: true },
    exceptionFactory: errors => validationFailed(errors.flatMap(error => detailsOf(error, error.property))),
  });

function refuseFields(names: string[], why: string): void {
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

/** Returns the errors of a field and of its nested fields, each with its full path. */
function detailsOf(error: ValidationError, field: string): Detail[] {
  const { property, constraints, children = [] } = error;
  const own = constraints ? [{ field, message: messageOf(error).replace(property, () => field) }] : [];
  return [...own, ...children.flatMap(child => detailsOf(child, `${field}.${child.property}`))];
}

function messageOf({ property, constraints = {}, target, value }: ValidationError): string {
  if (target === undefined || value !== undefined) return Object.values(constraints)[0] as string;
  // The field is missing. Then all of its rules fail, and their messages would be misleading.
  const expected = expectationOf(target, property);
  return `${property} is missing${expected ? `; expected ${expected}` : ''}`;
}
