import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY_PATTERN } from '@trawl/contracts';
import type { Request } from 'express';
import { ApiError } from '../common/errors.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Of an answer that is not this call's own. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed';
const IDEMPOTENT = 'trawl:idempotent';

/** Documents the header. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: IDEMPOTENCY_KEY,
    required: false,
    description:
      'Makes the call safe to repeat: for a day, the same call with the same key does nothing again and gets the first one’s answer. ' +
      'A text of your choice, new for each thing that you want done.',
    example: '5f0c2a77-order-17',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: IDEMPOTENCY_KEY_PATTERN.source },
  });

/** The route makes something once however often it is called with the same `Idempotency-Key`. */
export const Idempotent = () => applyDecorators(SetMetadata(IDEMPOTENT, true), ApiIdempotencyKey());

export const isIdempotent = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.get<boolean | undefined>(IDEMPOTENT, context.getHandler()) ?? false;

/**
 * The key that came with a request.
 * @throws {ApiError} 400 for one that cannot be a key.
 */
export function idempotencyKeyOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const key = headers['idempotency-key']?.toString();
  if (key === undefined || IDEMPOTENCY_KEY_PATTERN.test(key)) return key;
  const message = 'must be 1 to 200 visible ASCII characters';
  throw new ApiError('validation_failed', `${IDEMPOTENCY_KEY} ${message}.`, [{ field: IDEMPOTENCY_KEY, message }]);
}

export const keyReused = (): ApiError =>
  new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key came with another call before: its route or its values were not these. Use a new key for each thing that you want done.',
  );
