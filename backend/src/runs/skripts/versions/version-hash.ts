import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ApiError } from '../../../platform/common/errors.js';

export const HASH = /^[0-9a-f]{64}$/;
export const HASH_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

class HashPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (HASH.test(value)) return value;
    const message = 'hash must be the hash of a version: 64 lower-case hex digits';
    throw new ApiError('validation_failed', `${message}; you sent ${value.slice(0, 100)}.`, [
      { field: 'hash', message },
    ]);
  }
}

/** Decorator for the path parameter with the hash of a version. */
export const VersionHash = (): ParameterDecorator => (target, key, index) => {
  Param('hash', new HashPipe())(target, key, index);
  const handler = key && Object.getOwnPropertyDescriptor(target, key);
  if (!handler) return;
  ApiParam({
    name: 'hash',
    description: 'Hash of the version, from the list.',
    schema: { type: 'string', pattern: HASH.source },
    example: HASH_EXAMPLE,
  })(target, key, handler);
};
