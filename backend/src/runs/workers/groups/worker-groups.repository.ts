import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';
import { keyHashOf } from '../worker-keys.js';
import { IS_CONNECTED } from '../worker-status.js';

export const SORTABLE = ['name', 'created_at', 'updated_at', 'id'];

export interface WorkerGroupRow {
  id: string;
  name: string;
  public: boolean;
  workers: number;
  connected: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `g.id, g.name, g.public, g.created_at, g.updated_at, of_group.*`;
const WITH_WORKERS = `CROSS JOIN LATERAL (
  SELECT count(*)::int AS workers, count(*) FILTER (WHERE ${IS_CONNECTED})::int AS connected
  FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id WHERE w.group_id = g.id) of_group`;

/** SQL on `workers w` with their leases `l`: a worker of a group that has been away for `awayMs`, and has no runs. */
const isRetired = (awayMs: string, leaseMs: string): string => `w.group_id IS NOT NULL AND NOT ${IS_CONNECTED}
  AND l.lease_until < now() + (${leaseMs}::int - ${awayMs}::int) * interval '1 ms'
  AND NOT EXISTS (SELECT 1 FROM live_runs r WHERE r.worker_id = w.id)`;

/** Statements on `worker_groups` and on the workers of groups. */
@Injectable()
export class WorkerGroupsRepository {
  /** Values of the parameters of `isAnyRetired`. */
  readonly times: [number, number];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) { groupAwayMs, leaseMs }: Config,
  ) {
    this.times = [groupAwayMs, leaseMs];
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  page<T>(query: ListQuery, toDto: (row: WorkerGroupRow) => T): Promise<List<T>> {
    const list = {
      dataSource: this.dataSource,
      table: 'worker_groups',
      alias: 'g',
      columns: COLUMNS,
      joins: WITH_WORKERS,
      where: 'true',
      values: [],
    };
    return listSqlPage(list, query, parseSort(query.sort, SORTABLE), toDto);
  }

  async find(id: string): Promise<WorkerGroupRow | undefined> {
    const [row] = await this.dataSource.query<WorkerGroupRow[]>(
      `SELECT ${COLUMNS} FROM worker_groups g ${WITH_WORKERS} WHERE g.id = $1`,
      [id],
    );
    return row;
  }

  async findByKey(key: string): Promise<{ id: string; name: string } | undefined> {
    const [group] = await this.dataSource.query<{ id: string; name: string }[]>(
      'SELECT id, name FROM worker_groups WHERE key_hash = $1',
      [keyHashOf(key)],
    );
    return group;
  }

  async insert({
    id,
    name,
    isPublic,
    key,
  }: {
    id: string;
    name: string;
    isPublic: boolean;
    key: string;
  }): Promise<void> {
    await this.dataSource.query('INSERT INTO worker_groups (id, name, public, key_hash) VALUES ($1, $2, $3, $4)', [
      id,
      name,
      isPublic,
      keyHashOf(key),
    ]);
  }

  /** Changes a group. `isPublic` also applies to the workers that the group has. */
  async update(id: string, name: string | null, isPublic: boolean | null): Promise<void> {
    await this.transaction(async manager => {
      await manager.query(
        `UPDATE worker_groups SET name = coalesce($2, name), public = coalesce($3, public), updated_at = now() WHERE id = $1`,
        [id, name, isPublic],
      );
      await manager.query(
        'UPDATE workers SET public = $2, updated_at = now() WHERE group_id = $1 AND public <> $2::boolean',
        [id, isPublic],
      );
    });
  }

  /** Replaces the key of a group. Also makes the keys that its workers got from the old one invalid. */
  async replaceKey(id: string, key: string): Promise<void> {
    await this.transaction(async manager => {
      await manager.query('UPDATE worker_groups SET key_hash = $2, updated_at = now() WHERE id = $1', [
        id,
        keyHashOf(key),
      ]);
      await manager.query(
        `UPDATE workers SET key_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8')) WHERE group_id = $1`,
        [id],
      );
    });
  }

  /** Locks a group, so that it gets no new workers. Returns the ids of its workers; undefined if there is no group. */
  async lock(manager: EntityManager, id: string): Promise<string[] | undefined> {
    const groups = await manager.query<unknown[]>('SELECT 1 FROM worker_groups WHERE id = $1 FOR UPDATE', [id]);
    if (groups.length === 0) return undefined;
    const workers = await manager.query<{ id: string }[]>('SELECT id FROM workers WHERE group_id = $1 ORDER BY id', [
      id,
    ]);
    return workers.map(worker => worker.id);
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.query('DELETE FROM worker_groups WHERE id = $1', [id]);
  }

  /** Finds workers of groups that have been away for too long. */
  findRetired(): Promise<{ id: string; name: string; group_id: string }[]> {
    return this.dataSource.query(
      `SELECT w.id, w.name, w.group_id FROM workers w JOIN worker_leases l ON l.worker_id = w.id
       WHERE ${isRetired('$1', '$2')} ORDER BY w.id`,
      this.times,
    );
  }

  /** Returns an SQL expression: whether there are workers to retire. */
  isAnyRetired(awayMs: string, leaseMs: string): string {
    return `EXISTS (SELECT FROM workers w JOIN worker_leases l ON l.worker_id = w.id WHERE ${isRetired(awayMs, leaseMs)})`;
  }

  /** Locks the worker and returns whether it is still to be retired. */
  async lockRetired(manager: EntityManager, id: string): Promise<boolean> {
    await manager.query('SELECT 1 FROM workers WHERE id = $1 FOR UPDATE', [id]);
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM workers w JOIN worker_leases l ON l.worker_id = w.id WHERE w.id = $3 AND ${isRetired('$1', '$2')}`,
      [...this.times, id],
    );
    return rows.length > 0;
  }
}
