import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_KEY_PATTERN } from '@trawl/contracts';
import type { Request } from 'express';
import { ApiError } from '../common/errors.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Response header that marks a repeated call's response. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed';
const IDEMPOTENT = 'trawl:idempotent';

/** Documents the `Idempotency-Key` header of a route. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: IDEMPOTENCY_KEY,
    required: false,
    description:
      'Makes it safe to retry the call: for 24 hours, repeating it with the same key returns the first response and does nothing else. ' +
      'Choose any text, and use a new one for each operation.',
    example: '5f0c2a77-order-17',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: IDEMPOTENCY_KEY_PATTERN.source },
  });

/** Makes a route idempotent: calls with the same `Idempotency-Key` take effect once. */
export const Idempotent = () => applyDecorators(SetMetadata(IDEMPOTENT, true), ApiIdempotencyKey());

export const isIdempotent = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.get<boolean | undefined>(IDEMPOTENT, context.getHandler()) ?? false;

/**
 * Returns the request's idempotency key, if it has one.
 * @throws {ApiError} 400 when the key is malformed.
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
    'This Idempotency-Key was used for a call with a different route, different values or an API key of another scope. Use a new key for each operation.',
  );
