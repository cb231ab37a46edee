import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { isLive } from '@trawl/contracts';
import { filter, firstValueFrom, map, merge, Subject, take, timer } from 'rxjs';
import { TokenChanges } from '../../../platform/auth/tokens/token-changes.service.js';
import { TokenResolver } from '../../../platform/auth/tokens/token-resolver.service.js';
import type { WaitingCall } from '../../../platform/auth/waiting-call.js';
import { ExecutionEvents } from './execution-events.service.js';
import type { ExecutionDto } from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

/** A waiting call reads the run's row again after this time, because another backend may have written its end. */
const POLL_MS = 1_000;
/** A run that stored rows gets its verdict just after its end. A waiting call waits at most this long for it. */
const VERDICT_WITHIN_MS = 5_000;
/** On shutdown, responses are cut off if sending them takes longer than this. */
const DRAIN_MS = 3_000;

/**
 * Waits for the end of a run. The run's row in the database decides whether it has ended. Events of this process only
 * shorten the wait.
 */
@Injectable()
export class WaitsService implements BeforeApplicationShutdown {
  readonly #shutdown = new Subject<void>();
  #closing = false;
  readonly #inProgress = new Set<{ id: string; closed: AbortSignal }>();

  constructor(
    private readonly events: ExecutionEvents,
    private readonly executions: ExecutionsService,
    private readonly tokens: TokenResolver,
    private readonly tokenChanges: TokenChanges,
  ) {}

  /**
   * Returns the execution as soon as it has ended, `waitMs` have passed, the caller has disconnected or this backend
   * stops.
   * @param run.isNew the run has just started, so the first read waits for an event.
   * @param run.followsRetries waits for the end of the last attempt.
   * @throws {ApiError} 401 if the caller's token or key is revoked or expires meanwhile.
   */
  async forEnd(
    ownerId: string,
    run: { id: string; followsRetries: boolean; isNew: boolean },
    waitMs: number,
    { token, closed, freeSlot }: WaitingCall,
  ): Promise<ExecutionDto> {
    const wait = { id: run.id, closed };
    let { isNew } = run;
    freeSlot();
    if (!closed.aborted) this.#inProgress.add(wait);
    closed.addEventListener('abort', () => this.#inProgress.delete(wait), { once: true });
    const deadline = performance.now() + waitMs;
    let ended: ExecutionDto | undefined;
    const left = new Subject<void>();
    const leave = () => left.next();
    closed.addEventListener('abort', leave);
    try {
      for (;;) {
        // Start to listen before reading the row. Otherwise an end in between would be missed.
        const remainingMs = Math.max(0, Math.min(POLL_MS, deadline - performance.now()));
        const prompt = firstValueFrom(
          merge(
            this.events.changes.pipe(
              filter(change => change.id === wait.id && !isLive(change.action)),
              map(change => change.ended),
            ),
            timer(remainingMs),
            this.tokenChanges.changed.pipe(filter(userId => userId === null || userId === ownerId)),
            left,
            this.#shutdown,
          ).pipe(
            take(1),
            map(event => (typeof event === 'object' && event !== null ? event : undefined)),
          ),
        );
        ended ??= isNew && remainingMs > 0 ? await prompt : undefined;
        isNew = false;
        const execution = ended ?? (await this.executions.get(ownerId, wait.id));
        await this.tokens.assertValid(token);
        const next =
          run.followsRetries && !isLive(execution.action)
            ? await this.executions.nextAttempt(ownerId, execution)
            : null;
        if (next) {
          wait.id = next;
          ended = undefined;
          continue;
        }
        const isOver = !isLive(execution.action) && !getsVerdict(execution);
        if (isOver || remainingMs === 0 || closed.aborted || this.#closing) return execution;
        ended = await prompt;
      }
    } finally {
      closed.removeEventListener('abort', leave);
    }
  }

  /** Ids of the runs whose end calls wait for. */
  awaited(): Set<string> {
    return new Set([...this.#inProgress].map(({ id }) => id));
  }

  /** Responds to every waiting call with 202, and waits until these responses are sent before the server closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#closing = true;
    this.#shutdown.next();
    const answered = [...this.#inProgress].map(({ closed }) => once(closed, 'abort'));
    await Promise.race([Promise.all(answered), delay(DRAIN_MS, undefined, { ref: false })]);
  }
}

/** Tells whether a run has just ended and is about to get its verdict. */
function getsVerdict({ action, verdict, rows, writes, updated_at }: ExecutionDto): boolean {
  const hasStored = rows > 0 || (writes?.length ?? 0) > 0;
  return action === 'end' && verdict === null && hasStored && Date.now() - Date.parse(updated_at) < VERDICT_WITHIN_MS;
}
