import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UserSessionsService } from './user-sessions.service.js';

const STATEMENT_MS = 5_000;
/** How long to wait for the outcome of a commit that PostgreSQL has not finished. */
const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 200;

/** Finds out whether transactions were committed whose session is gone. */
@Injectable()
export class TransactionOutcomesService {
  constructor(private readonly sessions: UserSessionsService) {}

  /** @throws the errors of `UserSessionsService.open`. */
  async find(ownerId: string, id: string): Promise<'committed' | 'aborted' | 'unknown'> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const outcome = await this.sessions.use(ownerId, session =>
        session.within({ timeMs: STATEMENT_MS, check: null }, () => session.outcomeOf(id)),
      );
      if (outcome === 'committed' || outcome === 'aborted') return outcome;
      if (outcome === null || performance.now() > deadline) return 'unknown';
      await delay(LOOK_AGAIN_MS);
    }
  }
}
