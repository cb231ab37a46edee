import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { isLive } from '@trawl/contracts';
import { filter, firstValueFrom, map, merge, Subject, take, timer } from 'rxjs';
import { CallerChanges } from '../auth/caller-changes.service.js';
import { CallersService } from '../auth/callers.service.js';
import type { WaitingCall } from '../auth/waiting-call.js';
import { ExecutionEvents } from './execution-events.js';
import type { ExecutionDto } from './executions.dto.js';
import { ExecutionsService } from './executions.service.js';

/** How often a waiting call looks at the row itself: another backend may have written the end. */
const LOOK_MS = 1_000;
/** An answer that takes longer than this on its way out is cut off. */
const LET_OUT_MS = 3_000;

/** Waits for the end of a run. What counts is the row; the events of this process only make the look prompt. */
@Injectable()
export class WaitsService implements BeforeApplicationShutdown {
  readonly #shutdown = new Subject<void>();
  #closing = false;
  readonly #underWay = new Set<AbortSignal>();

  constructor(
    private readonly events: ExecutionEvents,
    private readonly executions: ExecutionsService,
    private readonly callers: CallersService,
    private readonly callerChanges: CallerChanges,
  ) {}

  /**
   * The execution when it has ended, when `waitMs` have passed, when the caller has left or when this backend stops.
   * @param isNew it was begun just now, so that it is not looked at before something is heard of it.
   * @param follows goes on with the try that follows one that has ended, to the end of the last.
   * @throws {ApiError} 401 when the caller's token or key ends meanwhile.
   */
  async forEnd(
    ownerId: string,
    run: { id: string; follows: boolean; isNew: boolean },
    waitMs: number,
    { token, closed }: WaitingCall,
  ): Promise<ExecutionDto> {
    let { id, isNew } = run;
    this.#underWay.add(closed);
    closed.addEventListener('abort', () => this.#underWay.delete(closed), { once: true });
    const deadline = Date.now() + waitMs;
    let ended: ExecutionDto | undefined;
    const left = new Subject<void>();
    const leave = () => left.next();
    closed.addEventListener('abort', leave);
    try {
      for (;;) {
        // Listening begins before the look, so that an end between the two is not missed.
        const remainingMs = Math.max(0, Math.min(LOOK_MS, deadline - Date.now()));
        const prompt = firstValueFrom(
          merge(
            this.events.changes.pipe(
              filter(change => change.id === id && !isLive(change.action)),
              map(change => change.ended),
            ),
            timer(remainingMs),
            this.callerChanges.heard.pipe(filter(userId => userId === null || userId === ownerId)),
            left,
            this.#shutdown,
          ).pipe(
            take(1),
            map(said => (typeof said === 'object' && said !== null ? said : undefined)),
          ),
        );
        ended ??= isNew && remainingMs > 0 ? await prompt : undefined;
        isNew = false;
        const execution = ended ?? (await this.executions.get(ownerId, id));
        await this.callers.checkStands(token);
        const next =
          run.follows && !isLive(execution.action) ? await this.executions.nextTry(ownerId, execution) : null;
        if (next) {
          id = next;
          ended = undefined;
          continue;
        }
        if (!isLive(execution.action) || remainingMs === 0 || closed.aborted || this.#closing) return execution;
        ended = await prompt;
      }
    } finally {
      closed.removeEventListener('abort', leave);
    }
  }

  /** Who waits gets 202, and the answer is let out, before the server closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#closing = true;
    this.#shutdown.next();
    const answered = [...this.#underWay].map(closed => once(closed, 'abort'));
    await Promise.race([Promise.all(answered), delay(LET_OUT_MS, undefined, { ref: false })]);
  }
}
