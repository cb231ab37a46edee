import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { StringField } from '../../platform/http/fields.js';

export const WORKER_ID = /^(any|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/** @param options.default is documented; the DTO must set it too. */
export const WorkerIdField = (options: { optional?: boolean; default?: string } = {}) =>
  applyDecorators(
    // Convert ids to lower case, so that two spellings of the same worker lead to the same live key.
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    StringField({
      description: 'Id of the worker, or `any` for the least loaded one that you can use.',
      example: 'any',
      max: 36,
      pattern: WORKER_ID,
      expected: 'the id of a worker, or any',
      ...options,
    }),
  );
