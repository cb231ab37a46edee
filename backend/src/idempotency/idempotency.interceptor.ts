import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import type { SessionUser } from '../auth/current-user.js';
import { waitingCallOf } from '../auth/waiting-call.js';
import { IdempotencyKeysService } from './idempotency-keys.service.js';
import { IDEMPOTENCY_REPLAYED, idempotencyKeyOf, isIdempotent } from './idempotent.js';

/** Answers a repeated call as the first one was answered. It stands behind the one that reads bodies. */
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #reflector = new Reflector();
  readonly #keys: () => IdempotencyKeysService;

  constructor(keys: () => IdempotencyKeysService) {
    this.#keys = keys;
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() !== 'http' || !isIdempotent(context, this.#reflector)) return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const keys = this.#keys();
    const call = {
      ownerId: request.user.id,
      key,
      method: request.method,
      url: request.originalUrl,
      body: request.body,
    };
    const claim = await keys.claim(call, waitingCallOf(request, response));
    if ('kept' in claim) {
      response.status(claim.kept.status).setHeader(IDEMPOTENCY_REPLAYED, 'true');
      return of(claim.kept.body);
    }
    let body: unknown;
    try {
      body = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      await claim.release();
      throw error;
    }
    await claim.keep({ status: response.statusCode, body });
    return of(body);
  }
}
