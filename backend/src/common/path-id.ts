import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { ApiError } from './errors.js';

class UuidPipe implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (isUUID(value)) return value.toLowerCase();
    const message = `${this.name} must be a UUID`;
    throw new ApiError('validation_failed', `${message}, got ${value.slice(0, 100)}.`, [{ field: this.name, message }]);
  }
}

/** What a parameter is the id of, where its name does not say so in words. */
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

/** A path parameter that is an id; `description` where "The id of the <noun>." does not say it. */
export const PathId =
  (name: string, description = `The id of the ${nounOf(name)}.`): ParameterDecorator =>
  (target, key, index) => {
    Param(name, new UuidPipe(name))(target, key, index);
    const handler = key && Object.getOwnPropertyDescriptor(target, key);
    if (!handler) return;
    ApiParam({
      name,
      description,
      schema: { type: 'string', format: 'uuid' },
      example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
    })(target, key, handler);
  };
