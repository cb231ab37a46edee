import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import type { SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { Turns } from './turns.js';

export const CALLS_AT_ONCE = 8;
export const CALLS_THAT_WAIT = 64;

@Injectable()
export class MongoTurnInterceptor implements NestInterceptor {
  readonly #turns = new Turns(CALLS_AT_ONCE, CALLS_THAT_WAIT);

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const left = new AbortController();
    context
      .switchToHttp()
      .getResponse<Response>()
      .once('close', () => left.abort());
    const end = await this.#turns.take(request.user.id, left.signal);
    // A caller that leaves now keeps its turn until MongoDB is done: what was begun there goes on.
    return next.handle().pipe(finalize(end));
  }
}

/** For routes that make MongoDB work: few of an account's calls are under way at a time. */
export const TakesMongoTurn = () =>
  applyDecorators(UseInterceptors(MongoTurnInterceptor), ApiErrors('too_many_requests'));
