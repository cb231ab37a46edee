import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LEASE_MS, type WorkerStatus } from '@trawl/contracts';
import { type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../auth/current-user.js';
import type { DeletedDto } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { EndingsService } from '../executions/endings.service.js';
import { FreeWorkersService } from './free-workers.service.js';
import { RestartsService } from './restarts.service.js';
import { isContained, isOffered, mayRestart } from './who-may-use.js';
import { Worker } from './worker.entity.js';
import { WORKER_STATUS } from './worker-status.js';
import type { UpdateWorkerDto, WorkerDto, WorkerKeyDto, WorkersListQuery } from './workers.dto.js';

const SORTABLE = ['name', 'created_at', 'updated_at', 'id'];

interface WorkerRow extends Worker {
  status: WorkerStatus;
  usable: boolean;
  may_restart: boolean;
  free_slots: number;
  runs: number;
  last_seen_at: Date | null;
}

const WITH_LEASE = `LEFT JOIN worker_leases l ON l.worker_id = w.id`;
/** Of `workers w` as the user in `$1` sees it. */
const COLUMNS = `w.*, ${WORKER_STATUS} AS status, l.lease_until - interval '${LEASE_MS} ms' AS last_seen_at,
  CASE WHEN (${WORKER_STATUS}) = 'online' THEN l.free_slots ELSE 0 END AS free_slots,
  (SELECT count(*)::int FROM live_runs r WHERE r.worker_id = w.id AND r.boot_id IS NOT NULL) AS runs,
  ${isContained('w.id', '$1')} AS usable, ${mayRestart('w.id', '$1')} AS may_restart`;

@Injectable()
export class WorkersService {
  constructor(
    @InjectRepository(Worker) private readonly workers: Repository<Worker>,
    private readonly freeWorkers: FreeWorkersService,
    private readonly restarts: RestartsService,
    private readonly endings: EndingsService,
  ) {}

  /** Public workers and those assigned to the user; an administrator sees all. */
  async list(user: SessionUser, query: WorkersListQuery): Promise<List<WorkerDto>> {
    const list = {
      dataSource: this.workers,
      table: 'workers',
      alias: 'w',
      columns: COLUMNS,
      joins: WITH_LEASE,
      where: `${isOffered('w.id', '$1')} AND ($2::boolean IS NULL OR w.public = $2)`,
      values: [user.id, query.public ?? null],
    };
    return listSqlPage(list, query, parseSort(query.sort, SORTABLE), (row: WorkerRow) => toDto(row, user));
  }

  /** @throws {ApiError} 404, also for a worker that the user may not see. */
  async get(user: SessionUser, id: string): Promise<WorkerDto> {
    const [row] = await this.workers.query<WorkerRow[]>(
      `SELECT ${COLUMNS} FROM workers w ${WITH_LEASE} WHERE w.id = $2 AND ${isOffered('w.id', '$1')}`,
      [user.id, id],
    );
    if (!row) throw notFound('worker', id);
    return toDto(row, user);
  }

  /** @throws {ApiError} 409 `name_taken`. */
  async create(user: SessionUser, { name, public: isPublic = false }: UpdateWorkerDto): Promise<WorkerKeyDto> {
    const [id, key] = [uuidv7(), newKey()];
    await named(name, () =>
      this.workers.query(`INSERT INTO workers (id, name, public, key_hash) VALUES ($1, $2, $3, $4)`, [
        id,
        name,
        isPublic,
        hashOf(key),
      ]),
    );
    return { ...(await this.get(user, id)), key };
  }

  /** @throws {ApiError} 404, 409 `name_taken`. */
  async update(user: SessionUser, id: string, { name, public: isPublic }: UpdateWorkerDto): Promise<WorkerDto> {
    await named(name, () =>
      this.workers.query(
        `UPDATE workers SET name = coalesce($2, name), public = coalesce($3, public), updated_at = now() WHERE id = $1`,
        [id, name ?? null, isPublic ?? null],
      ),
    );
    if (isPublic) await this.freeWorkers.giveToWaiting();
    return this.get(user, id);
  }

  /**
   * Runs that wait for the worker end; accounts that lose their free worker wait for another.
   * @throws {ApiError} 404, 409 `has_live_run` while runs are under way on it.
   */
  async delete(id: string): Promise<DeletedDto> {
    const deleted = await this.workers.manager.transaction(async manager => {
      const [worker] = await manager.query<{ name: string }[]>('SELECT name FROM workers WHERE id = $1 FOR UPDATE', [
        id,
      ]);
      if (!worker) throw notFound('worker', id);
      const [live] = await manager.query<{ under_way: number; waiting: number }[]>(
        `SELECT count(boot_id)::int AS under_way, count(*) FILTER (WHERE boot_id IS NULL)::int AS waiting
         FROM live_runs WHERE worker_id = $1`,
        [id],
      );
      if (live && live.under_way > 0) {
        throw new ApiError(
          'has_live_run',
          `Runs under way on ${worker.name}: ${live.under_way}. Wait for their end, or restart the worker with the mode stop, then delete it.`,
          { runs: live.under_way },
        );
      }
      const assigned = await manager.query<{ user_id: string }[]>(
        'SELECT user_id FROM worker_assignments WHERE worker_id = $1',
        [id],
      );
      await manager.query('DELETE FROM workers WHERE id = $1', [id]);
      await this.freeWorkers.promiseAgain(
        assigned.map(({ user_id }) => user_id),
        manager,
      );
      return { workers: 1, worker_assignments: assigned.length, waiting_runs: live?.waiting ?? 0 };
    });
    await this.endings.endWithdrawn();
    await this.restarts.look();
    await this.freeWorkers.giveToWaiting();
    return { deleted };
  }

  /**
   * The old key is worth nothing from now on, and the connection that was made with it is closed.
   * @throws {ApiError} 404.
   */
  async rotateKey(user: SessionUser, id: string): Promise<WorkerKeyDto> {
    const key = newKey();
    await this.workers.query('UPDATE workers SET key_hash = $2, updated_at = now() WHERE id = $1', [id, hashOf(key)]);
    await this.restarts.look();
    return { ...(await this.get(user, id)), key };
  }

  ofKey(key: string): Promise<Worker | null> {
    return this.workers.findOneBy({ key_hash: hashOf(key) });
  }
}

const newKey = (): string => `trw_${randomBytes(32).toString('base64url')}`;
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

async function named<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'workers_name_key')) throw error;
    throw new ApiError('name_taken', `There is already a worker with the name ${name}. Choose another one.`);
  }
}

const toDto = (row: WorkerRow, { role }: SessionUser): WorkerDto => ({
  id: row.id,
  name: row.name,
  public: row.public,
  ip_address: row.ip_address,
  version: row.version,
  status: row.status,
  usable: row.usable,
  may_restart: row.may_restart,
  sandbox: row.sandbox,
  // Notes tell of the machine.
  sandbox_layers: row.sandbox_layers.map(layer => (role === 'admin' ? layer : { ...layer, note: null })),
  environments: row.environments,
  slots: row.slots,
  free_slots: row.free_slots,
  runs: row.runs,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
