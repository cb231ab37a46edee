/** Place in a queue, from 1, and the length of the queue. */
export interface QueuePlace {
  place: number;
  of: number;
}

/** One resolution or installation that needs a place. */
export interface Turn {
  begin(): void;
  /** Is called when the place in the queue has changed, and with null before `begin`. */
  moved(place: QueuePlace | null): void;
  /** Is called when this turn has to end, because too many turns are slow and it has been slow for the longest time. */
  endSlow(): void;
}

export interface TurnLimits {
  /** How many turns have a place at the same time. Each account has at most one. */
  atOnce: number;
  /** How many slow turns continue beside them. Each has a process of npm. */
  maxSlow: number;
}

interface BegunTurn {
  account: string;
  state: 'placed' | 'slow' | 'ending';
}

/**
 * Decides whose npm starts next. Accounts take turns, each has one turn at the same time, and `atOnce` are in progress in
 * all. So an account with many turns delays only its own. A slow turn, which waits for the registry, gives its place to
 * another account and continues.
 * See docs/decisions/0475-libraries-of-skripts.md.
 */
export class NpmTurns {
  readonly #limits: TurnLimits;
  /** The waiting turns of each account. */
  readonly #queues = new Map<string, Turn[]>();
  /** When an account that has more had its last turn: a number that grows with each turn. */
  readonly #lastTurns = new Map<string, number>();
  #count = 0;
  readonly #begun = new Map<Turn, BegunTurn>();

  /** @param limits are read at each change, so a test can change them. */
  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Adds a turn to the queue of an account. One that several accounts need is in the queues of all of them. */
  add(account: string, turn: Turn): void {
    if (this.#begun.has(turn)) return;
    const queue = this.#queues.get(account) ?? [];
    if (queue.includes(turn)) return;
    queue.push(turn);
    this.#queues.set(account, queue);
    this.#advance();
  }

  /**
   * Frees the place of a turn for other accounts; only the first call has an effect. The turn's own account still waits
   * for its end. If too many turns are slow, ends the one that has been slow for the longest time.
   */
  slow(turn: Turn): void {
    const begun = this.#begun.get(turn);
    if (begun?.state !== 'placed') return;
    // The order of the map is that in which turns became slow.
    this.#begun.delete(turn);
    this.#begun.set(turn, { ...begun, state: 'slow' });
    const slow = [...this.#begun].filter(([, { state }]) => state === 'slow');
    const [oldest] = slow;
    if (oldest && slow.length > this.#limits.maxSlow) {
      oldest[1].state = 'ending';
      oldest[0].endSlow();
    }
    this.#advance();
  }

  /** Removes a turn that has ended, or that nobody waits for any longer. */
  remove(turn: Turn): void {
    const account = this.#begun.get(turn)?.account;
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
      this.#begun.set(turn, { account, state: 'placed' });
      this.#dequeue(turn);
      this.#count += 1;
      this.#lastTurns.set(account, this.#count);
      begins.push(turn);
    }
    const order = this.#order();
    for (const [index, turn] of order.entries()) turn.moved({ place: index + 1, of: order.length });
    for (const turn of begins) {
      turn.moved(null);
      turn.begin();
    }
  }

  #next(): [account: string, turn: Turn] | undefined {
    const placed = [...this.#begun.values()].filter(({ state }) => state === 'placed');
    if (placed.length >= this.#limits.atOnce) return undefined;
    const busy = this.#busyAccounts();
    for (const [account, [turn]] of this.#accounts()) if (turn && !busy.has(account)) return [account, turn];
    return undefined;
  }

  #busyAccounts(): Set<string> {
    return new Set([...this.#begun.values()].map(({ account }) => account));
  }

  /** Returns the accounts that wait, the one that had its last turn longest ago first. */
  #accounts(): [account: string, queue: Turn[]][] {
    const lastTurn = (account: string) => this.#lastTurns.get(account) ?? 0;
    return [...this.#queues].sort(([a], [b]) => lastTurn(a) - lastTurn(b));
  }

  /** Returns the waiting turns in the order in which they will begin if nothing is added. */
  #order(): Turn[] {
    const busy = this.#busyAccounts();
    const rounds = this.#accounts().flatMap(([account, queue], turnOfAccount) =>
      queue.map((turn, index) => ({ turn, round: index + (busy.has(account) ? 1 : 0), turnOfAccount })),
    );
    rounds.sort((a, b) => a.round - b.round || a.turnOfAccount - b.turnOfAccount);
    return [...new Set(rounds.map(({ turn }) => turn))];
  }
}
