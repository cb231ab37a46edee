import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { SHARES } from '@trawl/contracts';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import type { SessionUser } from '../../../platform/auth/current-user.js';
import { AccountSemaphore } from '../../../platform/common/shares/account-semaphore.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';

export const MAX_CONCURRENT_CALLS = SHARES.mongoCallsAtOnce;
export const MAX_QUEUED_CALLS = SHARES.mongoCallsQueued;

/** The share of each account in the MongoDB calls of the API. */
@Injectable()
export class MongoCallSlots extends AccountSemaphore {
  constructor() {
    super('MongoDB calls', MAX_CONCURRENT_CALLS, { maxQueued: MAX_QUEUED_CALLS });
  }
}

@Injectable()
export class MongoCallLimitInterceptor implements NestInterceptor {
  constructor(private readonly slots: MongoCallSlots) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const disconnected = new AbortController();
    context
      .switchToHttp()
      .getResponse<Response>()
      .once('close', () => disconnected.abort());
    const release = await this.slots.acquire(request.user.id, disconnected.signal);
    // If the client disconnects from now on, the slot stays taken until MongoDB finishes, because MongoDB does not stop
    // the work.
    return next.handle().pipe(finalize(release));
  }
}

/** Limits how many MongoDB calls of one account run at the same time. Use it on every route that calls MongoDB. */
export const LimitMongoCalls = () =>
  applyDecorators(UseInterceptors(MongoCallLimitInterceptor), ApiErrors('too_many_requests'));
