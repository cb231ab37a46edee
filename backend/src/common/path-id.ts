import { Param, type PipeTransform } from '@nestjs/common';
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

/** A path parameter that is an id. */
export const PathId = (name: string) => Param(name, new UuidPipe(name));
