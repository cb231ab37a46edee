import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { SHARES } from '@trawl/contracts';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../common/config.js';
import { AccountSemaphore } from '../common/shares/account-semaphore.js';
import { Contention } from '../common/shares/contention.service.js';
import type { SessionUser } from './current-user.js';

/** Number of calls of one account that can wait for a slot. */
const MAX_QUEUED = SHARES.callsQueued;
const MAX_WAIT_MS = 30_000;

/** Functions that free the slots of calls. */
const held = new WeakMap<Request, () => void>();

/**
 * Frees the call's slot before the call ends. Use it before a call waits for minutes without work, so that waiting calls
 * do not keep the account from making others.
 */
export const freeCallSlot = (request: Request): void => held.get(request)?.();

/**
 * Limits how many calls of one account are in progress on this backend, so that an account with many calls does not slow
 * down others. A call keeps its slot until its work is done and its response is sent.
 * See docs/decisions/0362-accounts-share-the-backend.md.
 */
@Injectable()
export class CallSlotsInterceptor implements NestInterceptor {
  readonly #slots: AccountSemaphore;

  constructor(@Inject(CONFIG) config: Config, contention: Contention) {
    this.#slots = new AccountSemaphore('calls', config.callsAtOnce, {
      maxQueued: MAX_QUEUED,
      maxWaitMs: MAX_WAIT_MS,
      whileCompeting: { concurrency: SHARES.callsWhileCompeting, contention },
    });
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user?: SessionUser }>();
    if (!request.user) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const closed = new AbortController();
    // Without a reason, Node makes an error with a stack trace for each call.
    response.once('close', () => closed.abort('The connection closed.'));
    const release = once(await this.#slots.acquire(request.user.id, closed.signal));
    held.set(request, release);
    return next.handle().pipe(
      finalize(() => {
        // The body of a stream is made while it is sent.
        if (closed.signal.aborted) release();
        else response.once('close', release);
      }),
    );
  }
}

function once(release: () => void): () => void {
  let isReleased = false;
  return () => {
    if (!isReleased) release();
    isReleased = true;
  };
}
