import { ApiError } from '../common/errors.js';

interface Account {
  underWay: number;
  /** In the order in which they came. */
  waiting: Set<() => void>;
}

/** MongoDB ends what is slow after seconds, so that there is room again. */
const RETRY_AFTER_SECONDS = 2;

/** Lets a few calls of each account go on at a time and a few more wait, so that no account has all of MongoDB. */
export class Turns {
  readonly #accounts = new Map<string, Account>();

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /**
   * Waits for a turn; what it gives is called once when the turn is over.
   * @param left aborted when the caller is gone: it waits no longer then.
   * @throws {ApiError} 429 `too_many_requests`, 503 `service_unavailable` for a caller that left.
   */
  async take(ownerId: string, left?: AbortSignal): Promise<() => void> {
    const account = this.#accounts.get(ownerId) ?? { underWay: 0, waiting: new Set() };
    this.#accounts.set(ownerId, account);
    if (account.underWay < this.atOnce) account.underWay += 1;
    else await this.#wait(account, left);
    return () => this.#end(ownerId, account);
  }

  /** Whoever ends hands its turn to the next one that waits. */
  #wait({ waiting }: Account, left: AbortSignal | undefined): Promise<void> {
    if (waiting.size >= this.mayWait) {
      throw new ApiError(
        'too_many_requests',
        `${this.atOnce} of your calls are under way at MongoDB, and ${waiting.size} wait for them. Wait until some are done, then send this one again.`,
        undefined,
        RETRY_AFTER_SECONDS,
      );
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        waiting.delete(begin);
        left?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(begin);
        reject(new ApiError('service_unavailable', 'The caller has left.'));
      };
      if (left?.aborted) return leave();
      left?.addEventListener('abort', leave, { once: true });
      waiting.add(begin);
    });
  }

  #end(ownerId: string, account: Account): void {
    const [next] = account.waiting;
    if (next) next();
    else account.underWay -= 1;
    if (account.underWay === 0) this.#accounts.delete(ownerId);
  }
}
