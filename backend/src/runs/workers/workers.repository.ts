import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Environment, Hello, RestartMode, WorkerStatus } from '@trawl/contracts';
import type { EntityManager, Repository } from 'typeorm';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../platform/http/lists/list-rows.js';
import { Worker } from './worker.entity.js';
import { isSandboxSufficient, mayRestart, mayUseWorker } from './worker-access.js';
import { keyHashOf } from './worker-keys.js';
import { IS_CONNECTED, WORKER_STATUS } from './worker-status.js';
import type { WorkersListQuery, WorkerUsageDto } from './workers.dto.js';

export const SORTABLE = ['name', 'created_at', 'updated_at', 'id'];

/** A worker with the properties that depend on the user who sees it. */
export interface WorkerRow extends Worker {
  status: WorkerStatus;
  usable: boolean;
  may_restart: boolean;
  free_slots: number;
  usage: WorkerUsageDto | null;
  runs: number;
  last_seen_at: Date | null;
}

/** A worker that the account may use. */
export interface CandidateWorker {
  id: string;
  environments: Environment[];
  key_hash: Buffer;
  status: WorkerStatus;
  sufficient: boolean;
  /**
   * The worker's boot, its connection, its slots, those that no run has, and the number of the account's runs on it.
   * Null while no backend has its connection.
   */
  boot: { id: string; epoch: number; slots: number; free: number; own: number } | null;
}

export type RestartRow = Pick<Worker, 'id' | 'key_hash' | 'restart_boot_id'> & { restart_mode: RestartMode };

const WITH_LEASE = `LEFT JOIN worker_leases l ON l.worker_id = w.id`;
/** SQL columns of `workers w` for the user with the id `$1`. */
const columnsFor = (
  leaseMs: number,
): string => `w.*, ${WORKER_STATUS} AS status, l.lease_until - interval '${leaseMs} ms' AS last_seen_at,
  CASE WHEN (${WORKER_STATUS}) = 'online' THEN l.free_slots ELSE 0 END AS free_slots,
  CASE WHEN ${IS_CONNECTED} AND l.cpu IS NOT NULL THEN json_build_object('cpu', l.cpu,
    'memory_used_bytes', l.memory_used, 'memory_total_bytes', l.memory_total,
    'disk_free_bytes', l.disk_free, 'disk_total_bytes', l.disk_total, 'event_loop_ms', l.event_loop_ms) END AS usage,
  (SELECT count(*)::int FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL) AS runs,
  ${isSandboxSufficient('w.id', '$1')} AS usable, ${mayRestart('w.id', '$1')} AS may_restart`;

/** Statements on `workers`. */
@Injectable()
export class WorkersRepository {
  readonly #columns: string;

  constructor(
    @InjectRepository(Worker) private readonly workers: Repository<Worker>,
    @Inject(CONFIG) config: Config,
  ) {
    this.#columns = columnsFor(config.leaseMs);
  }

  page<T>(userId: string, query: WorkersListQuery, toDto: (row: WorkerRow) => T): Promise<List<T>> {
    const name = query.name_contains || null;
    const list = {
      dataSource: this.workers,
      table: 'workers',
      alias: 'w',
      columns: this.#columns,
      joins: WITH_LEASE,
      where: `${mayUseWorker('w.id', '$1')} AND ($2::boolean IS NULL OR w.public = $2)
        AND ($3::uuid IS NULL OR w.group_id = $3) AND ($4::text IS NULL OR w.name ILIKE $4)`,
      values: [userId, query.public ?? null, query.group_id ?? null, name && containsPattern(name)],
    };
    return listSqlPage(list, query, parseSort(query.sort, SORTABLE), toDto);
  }

  /** Finds a worker that the user may see. */
  async find(userId: string, id: string): Promise<WorkerRow | undefined> {
    const [row] = await this.workers.query<WorkerRow[]>(
      `SELECT ${this.#columns} FROM workers w ${WITH_LEASE} WHERE w.id = $2 AND ${mayUseWorker('w.id', '$1')}`,
      [userId, id],
    );
    return row;
  }

  findByKey(key: string): Promise<Worker | null> {
    return this.workers.findOneBy({ key_hash: keyHashOf(key) });
  }

  async insert(worker: { id: string; name: string | undefined; isPublic: boolean; key: string }): Promise<void> {
    await this.workers.query(`INSERT INTO workers (id, name, public, key_hash) VALUES ($1, $2, $3, $4)`, [
      worker.id,
      worker.name,
      worker.isPublic,
      keyHashOf(worker.key),
    ]);
  }

  async update(id: string, name: string | null, isPublic: boolean | null): Promise<void> {
    await this.workers.query(
      `UPDATE workers SET name = coalesce($2, name), public = coalesce($3, public), updated_at = now() WHERE id = $1`,
      [id, name, isPublic],
    );
  }

  /** Also releases the lease, so that a process with the new key is not taken for a second one. */
  async replaceKey(id: string, key: string): Promise<void> {
    await this.workers.query(
      `WITH released AS (UPDATE worker_leases SET replica_id = NULL WHERE worker_id = $1)
       UPDATE workers SET key_hash = $2, updated_at = now() WHERE id = $1`,
      [id, keyHashOf(key)],
    );
  }

  /**
   * Saves the properties that a worker sends in its `hello`. Returns true if this boot of the worker was requested to
   * restart; undefined if the worker was deleted or its key replaced.
   */
  async recordHello(
    manager: EntityManager,
    worker: { id: string; key_hash: Buffer },
    hello: Hello,
    ipAddress: string,
  ): Promise<{ draining: boolean } | undefined> {
    const [[seen]] = await manager.query<[{ draining: boolean }[], number]>(
      `UPDATE workers SET version = $2, environments = $3, sandbox = $4, sandbox_layers = $9, slots = $5, ip_address = $6,
         chromium = $10, nodes = $11, updated_at = now()
       WHERE id = $1 AND key_hash = $7 RETURNING coalesce(restart_boot_id = $8, false) AS draining`,
      [
        worker.id,
        hello.version,
        hello.environments,
        hello.sandbox,
        hello.slots,
        ipAddress,
        worker.key_hash,
        hello.boot_id,
        JSON.stringify(hello.sandbox_layers),
        hello.chromium,
        hello.nodes,
      ],
    );
    return seen;
  }

  /** Saves how many runs a worker takes at once now. */
  async recordSlots(workerId: string, slots: number): Promise<void> {
    await this.workers.query('UPDATE workers SET slots = $2 WHERE id = $1', [workerId, slots]);
  }

  /**
   * Finds the workers on which a run may be started.
   * @param workerId `any` for every worker that the account may use.
   */
  candidates(ownerId: string, workerId: string): Promise<CandidateWorker[]> {
    return preparedQuery<CandidateWorker>(
      this.workers.manager.dataSource,
      'workers for a start',
      `SELECT w.id, w.environments, w.key_hash, ${WORKER_STATUS} AS status,
         ${isSandboxSufficient('w.id', '$1')} AS sufficient,
         CASE WHEN ${IS_CONNECTED} THEN (
           SELECT json_build_object('id', l.boot_id, 'epoch', l.epoch, 'slots', w.slots, 'free', w.slots - count(*),
             'own', count(*) FILTER (WHERE r.owner_id = $1))
           FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL) END AS boot
       FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id
       WHERE ($2 = 'any' OR w.id::text = $2) AND ${mayUseWorker('w.id', '$1')}`,
      [ownerId, workerId],
    );
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.workers.manager.transaction(work);
  }

  /**
   * Locks a worker, so that it gets no new runs or assignments. Returns its name, or undefined if there is no such
   * worker.
   */
  async lock(manager: EntityManager, id: string): Promise<string | undefined> {
    const [worker] = await manager.query<{ name: string }[]>('SELECT name FROM workers WHERE id = $1 FOR UPDATE', [id]);
    return worker?.name;
  }

  /** Counts the live runs of a worker. */
  async countLiveRuns(manager: EntityManager, id: string): Promise<{ in_progress: number; waiting: number }> {
    const [live] = await manager.query<{ in_progress: number; waiting: number }[]>(
      `SELECT count(boot_id)::int AS in_progress, count(*) FILTER (WHERE boot_id IS NULL)::int AS waiting
       FROM live_runs WHERE worker_id = $1`,
      [id],
    );
    return live ?? { in_progress: 0, waiting: 0 };
  }

  /** Deletes a worker with its assignments. Returns the ids of the users to whom it was assigned. */
  async delete(manager: EntityManager, id: string): Promise<string[]> {
    const assigned = await manager.query<{ user_id: string }[]>(
      'SELECT user_id FROM worker_assignments WHERE worker_id = $1',
      [id],
    );
    await manager.query('DELETE FROM workers WHERE id = $1', [id]);
    return assigned.map(({ user_id }) => user_id);
  }

  /** Returns the worker's name and whether the user may restart it. Undefined if the user may not see the worker. */
  async findRestartable(userId: string, id: string): Promise<{ name: string; allowed: boolean } | undefined> {
    const [worker] = await this.workers.query<{ name: string; allowed: boolean }[]>(
      `SELECT w.name, ${mayRestart('w.id', '$2')} AS allowed FROM workers w WHERE w.id = $1 AND ${mayUseWorker('w.id', '$2')}`,
      [id, userId],
    );
    return worker;
  }

  /**
   * Saves a request to restart the worker's current boot. Does not replace `stop` by `drain`. Returns false if the
   * worker is offline.
   */
  async requestRestart(id: string, mode: RestartMode): Promise<boolean> {
    const [[requested]] = await this.workers.query<[unknown[], number]>(
      `UPDATE workers w SET restart_boot_id = l.boot_id,
         restart_mode = CASE WHEN w.restart_boot_id = l.boot_id AND w.restart_mode = 'stop' THEN 'stop' ELSE $2 END
       FROM worker_leases l
       WHERE w.id = $1 AND l.worker_id = w.id AND l.replica_id IS NOT NULL AND l.lease_until > now() RETURNING w.id`,
      [id, mode],
    );
    return requested !== undefined;
  }

  /**
   * Returns an SQL expression: whether one of these workers was deleted, got another key, or must restart.
   * @param ids placeholder of the workers' ids; those of the keys and boots with which they connected follow.
   */
  readonly findChanged = (ids = '', keyHashes = '', bootIds = ''): string =>
    `EXISTS (SELECT FROM unnest(${ids}::uuid[], ${keyHashes}::bytea[], ${bootIds}::uuid[]) AS link(id, key_hash, boot_id)
       LEFT JOIN workers w ON w.id = link.id AND w.key_hash = link.key_hash
       WHERE w.id IS NULL OR w.restart_boot_id = link.boot_id)`;

  /** Returns the key hashes and requested restarts of these workers. */
  findRestarts(ids: string[]): Promise<RestartRow[]> {
    return this.workers.query<RestartRow[]>(
      `SELECT id, key_hash, restart_boot_id, restart_mode FROM workers WHERE id = ANY($1::uuid[])`,
      [ids],
    );
  }
}
