import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import type { Session } from '../sessions/session.js';
import { type HeldCursor, HeldSession, type HeldTransaction, IDLE_MS, type WorkerConnection } from './held-session.js';

/** The sessions that runs hold. Each ends with its run, with the connection of its worker, or when it is idle. */
@Injectable()
export class HeldSessionsService implements OnModuleDestroy {
  /** How long a session may be idle. Tests shorten it. */
  idleMs = IDLE_MS;
  readonly #held = new Map<string, HeldSession>();
  /** Runs that wait for a session. */
  readonly #waiting = new Map<AbortController, string>();

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.#held.values()].map(held => held.abort()));
  }

  /**
   * Executes `work`, which opens a session for a run to hold. Its signal aborts when the run or the connection of its worker
   * ends.
   */
  async whileWanted<T>(
    executionId: string,
    connection: WorkerConnection,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const abort = () => controller.abort(new StorageFailure('run_ended', 'The run or its connection has ended.'));
    this.#waiting.set(controller, executionId);
    connection.once('disconnect', abort);
    if (!connection.connected) abort();
    try {
      return await work(controller.signal);
    } finally {
      connection.off('disconnect', abort);
      this.#waiting.delete(controller);
    }
  }

  hold(
    executionId: string,
    connection: WorkerConnection,
    session: Session,
    what: HeldTransaction | HeldCursor,
  ): HeldSession {
    const forget = ({ id }: HeldSession) => this.#held.delete(id);
    const held = new HeldSession(executionId, session, what, connection, forget, this.idleMs[what.kind]);
    this.#held.set(held.id, held);
    return held;
  }

  /** Finds what this run holds on this connection. */
  find<Kind extends 'transaction' | 'cursor'>(
    kind: Kind,
    executionId: string,
    connection: WorkerConnection,
    id: string,
  ): HeldSession<Kind extends 'cursor' ? HeldCursor : HeldTransaction> | undefined {
    const held = this.#held.get(id);
    if (held?.executionId !== executionId || held.what.kind !== kind || !held.isOn(connection)) return undefined;
    return held as HeldSession<never>;
  }

  /** Ends everything that a run holds. */
  async endOf(executionId: string): Promise<void> {
    for (const [controller, waiting] of this.#waiting) {
      if (waiting === executionId) controller.abort(new StorageFailure('run_ended', 'The run has ended.'));
    }
    const held = [...this.#held.values()].filter(one => one.executionId === executionId);
    await Promise.all(held.map(one => one.abort()));
  }
}
