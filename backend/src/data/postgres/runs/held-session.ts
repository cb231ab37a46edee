import { randomUUID } from 'node:crypto';
import type { Session } from '../sessions/session.js';
import type { StatementCursor, TextRow } from '../sessions/statement-cursor.js';

/** The worker's connection. A run's transactions and cursors end with it. */
export interface WorkerConnection {
  readonly connected: boolean;
  once(event: 'disconnect', listener: () => void): unknown;
  off(event: 'disconnect', listener: () => void): unknown;
}

export interface HeldTransaction {
  kind: 'transaction';
  /** PostgreSQL's id of the transaction; null if it is read-only. */
  xid: string | null;
}

export interface HeldCursor {
  kind: 'cursor';
  cursor: StatementCursor;
  batchSize: number;
  /** Rows that were read but did not fit into the last page. */
  unsent: TextRow[];
}

/** How long a transaction or cursor may be unused before it ends. */
export const IDLE_MS = { transaction: 10_000, cursor: 60_000 };

/**
 * A session that a run holds between its calls, for a transaction or a cursor.
 * See docs/decisions/0138-transactions-of-users.md.
 */
export class HeldSession<Held extends HeldTransaction | HeldCursor = HeldTransaction | HeldCursor> {
  readonly id = randomUUID();
  #idle: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #ended: Promise<void> | undefined;
  readonly #abort = new AbortController();

  constructor(
    readonly executionId: string,
    readonly session: Session,
    readonly what: Held,
    private readonly connection: WorkerConnection,
    private readonly onEnd: (held: HeldSession) => void,
    private readonly idleMs: number,
  ) {
    connection.once('disconnect', this.#disconnected);
    this.#waitForUse();
  }

  isOn(connection: WorkerConnection): boolean {
    return this.connection === connection;
  }

  /** Executes `work` after earlier calls. Returns undefined if the session has been given back. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    const earlier = this.#turn;
    const done = (async () => {
      await earlier;
      if (this.#ended) return undefined;
      clearTimeout(this.#idle);
      try {
        return await work();
      } finally {
        this.#waitForUse();
      }
    })();
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Aborts when the call that is using the session is no longer wanted. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Cancels the call that is using the session, then rolls back and gives the session back. */
  abort(): Promise<void> {
    this.#abort.abort();
    return this.end();
  }

  /** Rolls back and gives the session back, after the call that is using it. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    this.connection.off('disconnect', this.#disconnected);
    this.onEnd(this as HeldSession);
    await this.#turn;
    clearTimeout(this.#idle);
    if (this.what.kind === 'cursor') await this.session.close(this.what.cursor).catch(() => undefined);
    await this.session.release();
  }

  readonly #disconnected = (): void => void this.abort();

  #waitForUse(): void {
    clearTimeout(this.#idle);
    if (!this.#ended) this.#idle = setTimeout(() => void this.end(), this.idleMs).unref();
  }
}
