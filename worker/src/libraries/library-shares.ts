import type { Written } from '@trawl/libraries';

/** The live runs of an account may keep at most this part of the space for libraries, because their locks cannot be removed. */
const ACCOUNT_SHARE = 1 / 2;
/** For how many accounts a lock remembers its last use. */
const MAX_ACCOUNTS = 100;

/** An installed lock, and when each account last used it. */
export interface Lock extends Written {
  accounts: Map<string, number>;
}

/**
 * Decides which locks are removed when another one needs their space. A lock counts towards the accounts that use it, in
 * equal parts. The account with the most loses the lock that it has not used for the longest time, so an account that
 * needs little keeps its libraries whatever the others install.
 */
export class LibraryShares {
  readonly #limits: Written;
  readonly #locks = new Map<string, Lock>();
  /** Live runs by lock and account. */
  readonly #runs = new Map<string, Map<string, number>>();

  constructor(limits: Written) {
    this.#limits = limits;
  }

  get(hash: string): Lock | undefined {
    return this.#locks.get(hash);
  }

  add(hash: string, lock: Lock): void {
    this.#locks.set(hash, lock);
  }

  /** Counts a live run of an account with a lock, until the returned function is called. */
  use(hash: string, account: string): () => void {
    const accounts = (this.#locks.get(hash) as Lock).accounts;
    // The least recently used account is the first one.
    accounts.delete(account);
    accounts.set(account, Date.now());
    const runs = this.#runs.get(hash) ?? new Map<string, number>();
    this.#runs.set(hash, runs);
    runs.set(account, (runs.get(account) ?? 0) + 1);
    for (const other of accounts.keys()) if (accounts.size > MAX_ACCOUNTS && !runs.has(other)) accounts.delete(other);
    return () => {
      const left = (runs.get(account) ?? 0) - 1;
      if (left > 0) runs.set(account, left);
      else runs.delete(account);
      if (runs.size === 0 && this.#runs.get(hash) === runs) this.#runs.delete(hash);
    };
  }

  /**
   * Removes locks until there is space for another one of this account. Locks of live runs stay.
   *
   * @returns the removed locks. `full`: whose live runs use the space that is missing
   */
  makeRoom(account: string, needed: Written): { removed: string[]; full: 'account' | 'others' | null } {
    const removed: string[] = [];
    const need = this.#part(needed);
    if (this.#keptBy(account) + need > ACCOUNT_SHARE) return { removed, full: 'account' };
    while (this.#total(needed) > 1) {
      const accounts = new Set([...this.#locks.values()].flatMap(({ accounts }) => [...accounts.keys()]));
      const parts = [...accounts].map(name => ({ name, part: this.#partOf(name) + (name === account ? need : 0) }));
      parts.sort((a, b) => b.part - a.part);
      const isReleased = this.#removeUnknown(removed) || parts.some(({ name }) => this.#release(name, removed));
      if (!isReleased) return { removed, full: 'others' };
    }
    return { removed, full: null };
  }

  /**
   * Takes from an account the lock that it has not used for the longest time: first one that only it uses, which is
   * removed.
   */
  #release(account: string, removed: string[]): boolean {
    const locks = [...this.#locks].filter(
      ([hash, { accounts }]) => accounts.has(account) && !this.#runs.get(hash)?.has(account),
    );
    const usedAt = ({ accounts }: Lock) => accounts.get(account) as number;
    locks.sort(([, a], [, b]) => Math.sign(a.accounts.size - b.accounts.size) || usedAt(a) - usedAt(b));
    const [first] = locks;
    if (!first) return false;
    const [hash, { accounts }] = first;
    accounts.delete(account);
    if (accounts.size === 0) this.#drop(hash, removed);
    return true;
  }

  /** Removes a lock of which nobody knows who uses it: an earlier version of Trawl has installed it. */
  #removeUnknown(removed: string[]): boolean {
    for (const [hash, { accounts }] of this.#locks) {
      if (accounts.size > 0) continue;
      this.#drop(hash, removed);
      return true;
    }
    return false;
  }

  #drop(hash: string, removed: string[]): void {
    this.#locks.delete(hash);
    removed.push(hash);
  }

  /** The part of all space that something needs, from 0 to 1. */
  #part({ bytes, entries }: Written): number {
    return Math.max(bytes / this.#limits.bytes, entries / this.#limits.entries);
  }

  #partOf(account: string): number {
    let part = 0;
    for (const lock of this.#locks.values()) {
      if (lock.accounts.has(account)) part += this.#part(lock) / lock.accounts.size;
    }
    return part;
  }

  /** The part that is used by locks of live runs of an account. */
  #keptBy(account: string): number {
    let part = 0;
    for (const [hash, runs] of this.#runs) {
      const lock = this.#locks.get(hash);
      if (lock && runs.has(account)) part += this.#part(lock) / runs.size;
    }
    return part;
  }

  #total(needed: Written): number {
    let { bytes, entries } = needed;
    for (const lock of this.#locks.values()) {
      bytes += lock.bytes;
      entries += lock.entries;
    }
    return this.#part({ bytes, entries });
  }
}
