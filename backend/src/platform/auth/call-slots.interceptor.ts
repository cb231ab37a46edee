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

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: SessionUser }>();
    if (!request.user) return next.handle();
    const response = http.getResponse<Response>();
    const release = this.#slots.tryAcquire(request.user.id);
    if (release) return holding(release, request, response, next);
    return this.#wait(request.user.id, response).then(release => holding(release, request, response, next));
  }

  async #wait(ownerId: string, response: Response): Promise<() => void> {
    const closed = new AbortController();
    // Without a reason, Node makes an error with a stack trace for each call.
    const abort = () => closed.abort('The connection closed.');
    response.once('close', abort);
    try {
      return await this.#slots.acquire(ownerId, closed.signal);
    } finally {
      response.off('close', abort);
    }
  }
}

/** Handles a call that has a slot. */
function holding(free: () => void, request: Request, response: Response, next: CallHandler): Observable<unknown> {
  const release = once(free);
  held.set(request, release);
  return next.handle().pipe(
    finalize(() => {
      // The body of a stream is made while it is sent.
      if (response.destroyed) release();
      else response.once('close', release);
    }),
  );
}

function once(release: () => void): () => void {
  let isReleased = false;
  return () => {
    if (!isReleased) release();
    isReleased = true;
  };
}
