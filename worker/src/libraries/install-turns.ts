/** Place of an installation in the queue, from 1, and the length of the queue. */
export interface QueuePlace {
  place: number;
  of: number;
}

/** One installation in the queue. */
export interface Turn {
  begin(): void;
  /** Is called when the place has changed. */
  moved(place: QueuePlace): void;
}

/**
 * Decides whose installation is next. Accounts take turns, each has one installation at the same time, and `atOnce` are
 * in progress in all. So an account with many installations delays only its own.
 */
export class InstallTurns {
  readonly #atOnce: number;
  /** The waiting turns of each account. */
  readonly #queues = new Map<string, Turn[]>();
  /** When an account that has more had its last turn: a number that grows with each turn. */
  readonly #lastTurns = new Map<string, number>();
  #count = 0;
  /** Installations in progress, and the account whose turn it was. */
  readonly #begun = new Map<Turn, string>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Adds an installation to the queue of an account. One that several accounts need is in the queues of all of them. */
  add(account: string, turn: Turn): void {
    if (this.#begun.has(turn)) return;
    const queue = this.#queues.get(account) ?? [];
    if (queue.includes(turn)) return;
    queue.push(turn);
    this.#queues.set(account, queue);
    this.#advance();
  }

  /** Removes an installation that has ended, or that nobody waits for any longer. */
  remove(turn: Turn): void {
    const account = this.#begun.get(turn);
    this.#begun.delete(turn);
    this.#dequeue(turn);
    this.#advance();
    if (account !== undefined && !this.#queues.has(account)) this.#lastTurns.delete(account);
  }

  #dequeue(turn: Turn): void {
    for (const [account, queue] of this.#queues) {
      const others = queue.filter(other => other !== turn);
      if (others.length > 0) this.#queues.set(account, others);
      else this.#queues.delete(account);
    }
  }

  #advance(): void {
    const begins: Turn[] = [];
    for (let next = this.#next(); next; next = this.#next()) {
      const [account, turn] = next;
      this.#begun.set(turn, account);
      this.#dequeue(turn);
      this.#count += 1;
      this.#lastTurns.set(account, this.#count);
      begins.push(turn);
    }
    const order = this.#order();
    for (const [index, turn] of order.entries()) turn.moved({ place: index + 1, of: order.length });
    for (const turn of begins) turn.begin();
  }

  #next(): [account: string, turn: Turn] | undefined {
    if (this.#begun.size >= this.#atOnce) return undefined;
    const busy = new Set(this.#begun.values());
    for (const [account, [turn]] of this.#accounts()) if (turn && !busy.has(account)) return [account, turn];
    return undefined;
  }

  /** Returns the accounts that wait, the one that had its last turn longest ago first. */
  #accounts(): [account: string, queue: Turn[]][] {
    const lastTurn = (account: string) => this.#lastTurns.get(account) ?? 0;
    return [...this.#queues].sort(([a], [b]) => lastTurn(a) - lastTurn(b));
  }

  /** Returns the waiting installations in the order in which they will begin if nothing is added. */
  #order(): Turn[] {
    const busy = new Set(this.#begun.values());
    const rounds = this.#accounts().flatMap(([account, queue], turnOfAccount) =>
      queue.map((turn, index) => ({ turn, round: index + (busy.has(account) ? 1 : 0), turnOfAccount })),
    );
    rounds.sort((a, b) => a.round - b.round || a.turnOfAccount - b.turnOfAccount);
    return [...new Set(rounds.map(({ turn }) => turn))];
  }
}
