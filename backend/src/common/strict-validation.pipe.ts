import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { ValidationError } from 'class-validator';
import { ApiError } from './errors.js';
import { isJsonField } from './fields.js';
import { isNestedDeeper } from './nesting.js';

/** Levels within a value of a `JsonField`: PostgreSQL and whoever reads it take them without running out of stack. */
export const MAX_JSON_LEVELS = 500;

type Fields = Record<string, unknown>;

/**
 * Nest's pipe, which builds the value again by class and so would lose some of what was sent: here a `JsonField` comes
 * through untouched, and a name that every object has (`constructor`, `toString`, `__proto__`) is as unknown as any other.
 */
@Injectable()
export class StrictValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    if (metadata.type === 'body') refuseOtherThanObjects(value);
    if (!metatype || !this.toValidate(metadata) || typeof value !== 'object' || value === null) {
      return super.transform(value, metadata);
    }
    const names = Object.keys(value);
    const unknown = names.filter(name => name in Object.prototype);
    if (unknown.length > 0) throw await this.#refusal(unknown, 'should not exist');
    const sent = value as Fields;
    const jsonNames = names.filter(name => isJsonField(metatype as Type, name));
    const deep = jsonNames.filter(name => isNestedDeeper(sent[name], MAX_JSON_LEVELS));
    if (deep.length > 0) throw await this.#refusal(deep, `must not be nested deeper than ${MAX_JSON_LEVELS} levels`);
    // Null stands for each: any JSON value is one that the field takes.
    const standIns = Object.fromEntries(jsonNames.map(name => [name, null]));
    const result = await super.transform(jsonNames.length > 0 ? { ...sent, ...standIns } : value, metadata);
    for (const name of jsonNames) (result as Fields)[name] = sent[name];
    return result;
  }

  async #refusal(names: string[], message: string): Promise<unknown> {
    return this.exceptionFactory(
      names.map(property =>
        Object.assign(new ValidationError(), { property, constraints: { refused: `property ${property} ${message}` } }),
      ),
    );
  }
}

/** The class of a body has fields; without a body each of them is missing. */
function refuseOtherThanObjects(body: unknown): void {
  if (body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body))) return;
  const got = body === null ? 'null' : Array.isArray(body) ? 'a list' : `a ${typeof body}`;
  throw new ApiError('validation_failed', `The body must be a JSON object, with fields by their names; it is ${got}.`);
}

/** As every route checks what it is sent. */
export const strictValidation = (): StrictValidationPipe =>
  new StrictValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
    exceptionFactory: errors => validationFailed(errors),
  });

function validationFailed(errors: ValidationError[]): ApiError {
  const details = errors.map(({ property, constraints }) => ({
    field: property,
    message: Object.values(constraints ?? { shape: 'is not of the expected shape' })[0]?.replace('property ', '') ?? '',
  }));
  return new ApiError('validation_failed', details.map(({ message }) => message).join('; '), details);
}
