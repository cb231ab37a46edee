import type { RunProcess } from '../../process/run-process.js';

type Sharing = Pick<RunProcess, 'share'>;

/** Share of a run whose account has no other one. A process that is being started has the whole share of 1. */
const RUN_SHARE = 1 / 4;

interface Account {
  runs: Set<Sharing>;
  /** Each run of the account has `RUN_SHARE` divided by this power of two. */
  divisor: number;
}

/**
 * Divides the processors between accounts. The more runs an account has, the smaller is the share of each, so an account
 * with many busy runs leaves time to others. Processes that are being started come first, because each account waits for
 * them.
 * See docs/decisions/0355-runs-share-the-processors-by-weight.md.
 */
export class AccountShares {
  readonly #accounts = new Map<string, Account>();

  hasRuns(ownerId: string): boolean {
    return this.#accounts.has(ownerId);
  }

  /** Call it when a run of the account gets the process. */
  add(ownerId: string, process: Sharing): void {
    const account = this.#accounts.get(ownerId) ?? { runs: new Set(), divisor: 1 };
    this.#accounts.set(ownerId, account);
    account.runs.add(process);
    if (account.runs.size >= account.divisor * 2) setDivisor(account, account.divisor * 2);
    else process.share(RUN_SHARE / account.divisor);
  }

  /** Call it when the run has ended. */
  remove(ownerId: string, process: Sharing): void {
    const account = this.#accounts.get(ownerId);
    if (!account?.runs.delete(process)) return;
    if (account.runs.size === 0) this.#accounts.delete(ownerId);
    // This is below the number at which the divisor grows, so that a run that ends and another that begins do not change
    // the shares of all.
    else if (account.runs.size <= account.divisor / 2) setDivisor(account, account.divisor / 2);
  }
}

function setDivisor(account: Account, divisor: number): void {
  account.divisor = divisor;
  for (const process of account.runs) process.share(RUN_SHARE / divisor);
}
