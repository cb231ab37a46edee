import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { ApiError } from '../common/errors.js';
import { namedInPath } from './names/named-ids.js';

class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (isUUID(value)) return value.toLowerCase();
    const message = `${this.name} must be a UUID`;
    throw new ApiError('validation_failed', `${message}, got ${value.slice(0, 100)}.`, [{ field: this.name, message }]);
  }
}

/** The nouns of parameters from whose name `nounOf` cannot derive one. */
const NOUNS: Record<string, string> = {
  db_id: 'database',
  execution_id: 'run',
  skriptExecution_id: 'run',
  skriptFile_id: 'file',
};

const nounOf = (name: string): string =>
  NOUNS[name] ??
  name
    .replace(/_id$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);

function descriptionOf(name: string): string {
  const named = namedInPath(name);
  return named ? `Id or exact ${named.name} of the ${named.noun}.` : `Id of the ${nounOf(name)}.`;
}

const EXAMPLE = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

const schemaOf = (name: string): object => {
  const maxLength = namedInPath(name)?.maxChars;
  if (maxLength === undefined) return { type: 'string', format: 'uuid' };
  return { type: 'string', minLength: 1, maxLength, example: EXAMPLE };
};

/**
 * Injects a path parameter into the handler and checks that it is a UUID. The default description is "Id of the
 * <noun>.". Callers may send a name for some parameters (`namedInPath`), but the handler always gets the id.
 */
export const PathId =
  (name: string, description = descriptionOf(name)): ParameterDecorator =>
  (target, key, index) => {
    Param(name, new UuidPipe(name))(target, key, index);
    const handler = key && Object.getOwnPropertyDescriptor(target, key);
    if (!handler) return;
    ApiParam({ name, description, schema: schemaOf(name), example: EXAMPLE })(target, key, handler);
  };
