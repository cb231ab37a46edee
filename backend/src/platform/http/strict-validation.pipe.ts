import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { isNestedDeeper } from '@trawl/contracts';
import { getMetadataStorage, type ValidationError, ValidationTypes, type ValidatorOptions } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import { ApiError } from '../common/errors.js';
import { expectationOf, type Holds, heldBy, type QueryReader, queryReaderOf } from './fields.js';

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
    const shape = shapeOf(dto);
    const untouched = Object.keys(fields).filter(name => shape.get(name)?.holds === 'any JSON');
    const deep = untouched.filter(name => isNestedDeeper(fields[name], MAX_JSON_LEVELS));
    refuseFields(deep, `must not be nested deeper than ${MAX_JSON_LEVELS} levels`);
    const typed = type === 'query' ? mapFields(fields, (sent, name) => fromQuery(sent, shape.get(name))) : fields;
    const result = (await super.transform(withoutExcess(dto, typed), metadata)) as Fields;
    for (const name of untouched) result[name] = fields[name];
    return result;
  }

  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    return meetsAllRules(object) ? [] : super.validate(object, options);
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

/** A field as the decorators of `fields.ts` describe it. */
interface Field {
  holds: Holds | undefined;
  read: QueryReader | undefined;
}

const shapes = new Map<Type, ReadonlyMap<string, Field>>();

/** The fields that have validation rules. Names that every object has, such as `constructor`, are not among them. */
function shapeOf(dto: Type): ReadonlyMap<string, Field> {
  let shape = shapes.get(dto);
  if (!shape) {
    const names = rulesOn(dto).map(({ propertyName }) => propertyName);
    shape = new Map(names.map(name => [name, { holds: heldBy(dto, name), read: queryReaderOf(dto, name) }]));
    shapes.set(dto, shape);
  }
  return shape;
}

const rulesOn = (dto: Type): ValidationMetadata[] =>
  getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);

/** Names of the fields that have validation rules. */
export const fieldsOf = (dto: Type): ReadonlySet<string> => new Set(shapeOf(dto).keys());

/**
 * Converts the value of a query parameter, which is always a string, to the type of its field. Values of a body need no
 * conversion, because JSON has types.
 */
const fromQuery = (sent: unknown, field: Field | undefined): unknown =>
  field?.read && typeof sent === 'string' ? field.read(sent) : sent;

/** A rule of class-validator. It returns true if the object meets it. */
type Rule = (object: Fields) => boolean;

const compiled = new Map<Type, Rule[] | null>();

/**
 * Returns whether an instance of a DTO certainly meets all rules. If this returns false, class-validator decides and makes
 * the messages: it collects the rules of a class anew at each call, which takes most of the time of a validation.
 */
function meetsAllRules(object: object): boolean {
  const dto = object.constructor as Type;
  let rules = compiled.get(dto);
  if (rules === undefined) {
    rules = compile(rulesOn(dto));
    compiled.set(dto, rules);
  }
  return rules?.every(meets => meets(object as Fields)) ?? false;
}

/** Returns null if a rule is about the content of an array or of another object. */
function compile(all: ValidationMetadata[]): Rule[] | null {
  const isConditional = ({ type }: ValidationMetadata) => type === ValidationTypes.CONDITIONAL_VALIDATION;
  const isPlain = ({ type, each, validateIf }: ValidationMetadata) =>
    type === ValidationTypes.CUSTOM_VALIDATION && !each && !validateIf;
  if (!all.every(rule => isConditional(rule) || isPlain(rule))) return null;
  return all.filter(isPlain).flatMap(rule => {
    const { propertyName: property, constraints, constraintCls } = rule;
    const conditions = all.filter(other => isConditional(other) && other.propertyName === property);
    return getMetadataStorage()
      .getTargetValidatorConstraints(constraintCls)
      .map(
        ({ instance }): Rule =>
          object => {
            const value = object[property];
            if (!conditions.every(({ constraints: [applies] }) => applies(object, value))) return true;
            const { name: targetName } = object.constructor;
            return instance.validate(value, { value, constraints, targetName, object, property }) === true;
          },
      );
  });
}

/** Returns unknown fields with their full paths, including those of nested classes. */
function unknownFields(dto: Type, fields: Fields, within = ''): string[] {
  const shape = shapeOf(dto);
  const unknown = Object.keys(fields).filter(name => !shape.has(name));
  const nested = [...shape].flatMap(([name, { holds }]) => {
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
  const shape = shapeOf(dto);
  return mapFields(fields, (value, name) => {
    const holds = shape.get(name)?.holds;
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
