import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import type { SessionUser } from '../auth/current-user.js';
import { waitingCallOf } from '../auth/waiting-call.js';
import { ApiError } from '../common/errors.js';
import { IdempotencyKeysService } from './idempotency-keys.service.js';
import { IDEMPOTENCY_REPLAYED, idempotencyKeyOf, isIdempotent } from './idempotent.js';

/**
 * Responds to a repeated call with the response of the first call. Runs after `BodyInterceptor`, because it compares
 * the bodies.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: IdempotencyKeysService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http' || !isIdempotent(context, this.reflector)) return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next.handle();
    return this.#once(key, request, context.switchToHttp().getResponse<Response>(), next);
  }

  async #once(
    key: string,
    request: Request & { user: SessionUser },
    response: Response,
    next: CallHandler,
  ): Promise<Observable<unknown>> {
    const call = {
      ownerId: request.user.id,
      key,
      method: request.method,
      url: request.originalUrl,
      body: request.body,
      scope: request.user.key?.scope ?? 'all',
    };
    const claim = await this.keys.claim(call, waitingCallOf(request, response));
    if ('stored' in claim) {
      response.status(claim.stored.status).setHeader(IDEMPOTENCY_REPLAYED, 'true');
      return of(claim.stored.body);
    }
    let body: unknown;
    try {
      body = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.code === 'storage_outcome_unknown';
      await (isUnknown ? claim.abandon() : claim.release());
      throw error;
    }
    await claim.store({ status: response.statusCode, body });
    return of(body);
  }
}
