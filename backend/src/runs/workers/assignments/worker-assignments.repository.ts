import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { List, ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';

export interface AssignmentRow {
  user_id: string;
  username: string;
  created_at: Date;
}

/** A worker, or a group with its present and later workers, that administrators assign to users. */
export interface Assignable {
  kind: 'worker' | 'group';
  id: string;
}

/** For each kind: its table, and SQL on its row `t` that says whether it has a worker with the full sandbox. */
const KINDS = {
  worker: { table: 'workers', column: 'worker_id', hasFullSandbox: `coalesce(t.sandbox = 'full', false)` },
  group: {
    table: 'worker_groups',
    column: 'group_id',
    hasFullSandbox: `EXISTS (SELECT 1 FROM workers w WHERE w.group_id = t.id AND w.sandbox = 'full')`,
  },
};

/**
 * Assigns a free worker. It must be public, connected and have the full sandbox, because it runs untrusted code. If
 * there are several, picks the one with the fewest accounts per slot.
 */
const ASSIGN_FREE = `INSERT INTO worker_assignments (worker_id, user_id)
  SELECT w.id, $1 FROM workers w JOIN worker_leases l ON l.worker_id = w.id
  WHERE w.public AND w.sandbox = 'full' AND l.replica_id IS NOT NULL AND l.lease_until > now()
  ORDER BY (SELECT count(*) FROM worker_assignments a WHERE a.worker_id = w.id)::float / greatest(w.slots, 1),
    l.free_slots DESC, w.id
  LIMIT 1
  ON CONFLICT (worker_id, user_id) DO UPDATE SET created_at = worker_assignments.created_at RETURNING worker_id`;

/**
 * SQL statements on `worker_assignments`, and on `waiting_assignments`, which lists the accounts that wait for their
 * free worker.
 */
@Injectable()
export class WorkerAssignmentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  page<T>(
    { kind, id }: Assignable,
    query: ListQuery,
    order: ReturnType<typeof parseSort>,
    toDto: (row: AssignmentRow) => T,
  ): Promise<List<T>> {
    const { column } = KINDS[kind];
    const list = {
      dataSource: this.dataSource,
      table: `(SELECT user_id AS id, ${column} AS assigned, user_id, created_at FROM worker_assignments)`,
      alias: 'a',
      columns: 'a.user_id, u.username, a.created_at',
      joins: 'JOIN users u ON u.id = a.user_id',
      where: 'a.assigned = $1',
      values: [id],
    };
    return listSqlPage(list, query, order, toDto);
  }

  async exists({ kind, id }: Assignable): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(`SELECT 1 FROM ${KINDS[kind].table} WHERE id = $1`, [id]);
    return rows.length > 0;
  }

  /** Locks the worker or group so that nobody can delete it before the transaction ends. Undefined if there is none. */
  async lock(
    manager: EntityManager,
    { kind, id }: Assignable,
  ): Promise<{ name: string; has_full_sandbox: boolean } | undefined> {
    const { table, hasFullSandbox } = KINDS[kind];
    const [found] = await manager.query<{ name: string; has_full_sandbox: boolean }[]>(
      `SELECT t.name, ${hasFullSandbox} AS has_full_sandbox FROM ${table} t WHERE t.id = $1 FOR KEY SHARE OF t`,
      [id],
    );
    return found;
  }

  /** Locks the user so that nobody can delete it before the transaction ends. Returns the username. */
  async lockUser(manager: EntityManager, id: string): Promise<string | undefined> {
    const [user] = await manager.query<{ username: string }[]>(
      'SELECT username FROM users WHERE id = $1 FOR KEY SHARE',
      [id],
    );
    return user?.username;
  }

  /** Adds an assignment. Returns the time; undefined if the user has it already. */
  async insert(manager: EntityManager, { kind, id }: Assignable, userId: string): Promise<Date | undefined> {
    const [row] = await manager.query<{ created_at: Date }[]>(
      `INSERT INTO worker_assignments (${KINDS[kind].column}, user_id) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING created_at`,
      [id, userId],
    );
    return row?.created_at;
  }

  /** Removes an assignment. Returns false if there was none. */
  async delete({ kind, id }: Assignable, userId: string): Promise<boolean> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM worker_assignments WHERE ${KINDS[kind].column} = $1 AND user_id = $2`,
      [id, userId],
    );
    return deleted > 0;
  }

  /** Removes all assignments. Returns the ids of the users. */
  async deleteAll(manager: EntityManager, { kind, id }: Assignable): Promise<string[]> {
    const [rows] = await manager.query<[{ user_id: string }[], number]>(
      `DELETE FROM worker_assignments WHERE ${KINDS[kind].column} = $1 RETURNING user_id`,
      [id],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** Assigns a free worker. Returns its id, or undefined if no worker is suitable. */
  async insertFree(manager: EntityManager, userId: string): Promise<string | undefined> {
    const [assigned] = await manager.query<{ worker_id: string }[]>(ASSIGN_FREE, [userId]);
    return assigned?.worker_id;
  }

  /** Returns whether the account waits for a worker or has one. Null if neither is true. */
  async stateOf<State extends string>(userId: string): Promise<State | null> {
    const [{ state } = { state: null }] = await this.dataSource.query<{ state: State | null }[]>(
      `SELECT CASE WHEN EXISTS (SELECT 1 FROM waiting_assignments WHERE user_id = $1) THEN 'waiting'
                   WHEN EXISTS (SELECT 1 FROM worker_assignments WHERE user_id = $1) THEN 'assigned' END AS state`,
      [userId],
    );
    return state;
  }

  async queue(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(`INSERT INTO waiting_assignments (user_id) VALUES ($1) ON CONFLICT DO NOTHING`, [userId]);
  }

  /**
   * Queues those of the given accounts that have no worker. The accounts from the platform's first start are left out,
   * because they get no free worker.
   */
  async queueWithoutWorker(manager: EntityManager, userIds: string[]): Promise<void> {
    await manager.query(
      `INSERT INTO waiting_assignments (user_id)
       SELECT u.id FROM users u WHERE u.id = ANY($1::uuid[]) AND NOT u.built_in
         AND NOT EXISTS (SELECT 1 FROM worker_assignments a WHERE a.user_id = u.id)
       ON CONFLICT DO NOTHING`,
      [userIds],
    );
  }

  async unqueue(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(`DELETE FROM waiting_assignments WHERE user_id = $1`, [userId]);
  }

  /**
   * Locks the account that has waited longest and returns its id. If another transaction has locked this account, waits
   * for it and does not skip the account: the other transaction may not have seen a worker that has just connected.
   */
  async lockNextQueued(manager: EntityManager): Promise<string | undefined> {
    const [next] = await manager.query<{ user_id: string }[]>(
      `SELECT user_id FROM waiting_assignments ORDER BY created_at LIMIT 1 FOR UPDATE`,
    );
    return next?.user_id;
  }

  /** Returns the number of waiting accounts. Returns undefined if none of them began to wait within the last day. */
  async countQueuedIfRecent(manager: EntityManager): Promise<number | undefined> {
    const [waiting] = await manager.query<{ n: number }[]>(
      `SELECT count(*)::int AS n FROM waiting_assignments HAVING max(created_at) > now() - interval '1 day'`,
    );
    return waiting?.n;
  }
}
