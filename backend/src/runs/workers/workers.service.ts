import { Injectable } from '@nestjs/common';
import { isChromiumOld } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { SessionUser } from '../../platform/auth/current-user.js';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import type { List } from '../../platform/http/lists/list-query.js';
import { FreeWorkersService } from './free-workers.service.js';
import { RestartsService } from './restarts.service.js';
import type { Worker } from './worker.entity.js';
import { newWorkerKey } from './worker-keys.js';
import { WorkerWithdrawals } from './worker-withdrawals.service.js';
import type { UpdateWorkerDto, WorkerDto, WorkerKeyDto, WorkersListQuery } from './workers.dto.js';
import { type WorkerRow, WorkersRepository } from './workers.repository.js';

@Injectable()
export class WorkersService {
  constructor(
    private readonly workers: WorkersRepository,
    private readonly freeWorkers: FreeWorkersService,
    private readonly restarts: RestartsService,
    private readonly withdrawals: WorkerWithdrawals,
  ) {}

  /** Lists the public workers and those assigned to the user. An administrator gets all workers. */
  list(user: SessionUser, query: WorkersListQuery): Promise<List<WorkerDto>> {
    return this.workers.page(user.id, query, row => toDto(row, user));
  }

  /** @throws {ApiError} 404, also if the user may not see the worker. */
  async get(user: SessionUser, id: string): Promise<WorkerDto> {
    const row = await this.workers.find(user.id, id);
    if (!row) throw notFound('worker', id);
    return toDto(row, user);
  }

  /** @throws {ApiError} 409 `name_taken`. */
  async create(user: SessionUser, { name, public: isPublic = false }: UpdateWorkerDto): Promise<WorkerKeyDto> {
    const [id, key] = [uuidv7(), newWorkerKey()];
    await withUniqueName(name, () => this.workers.insert({ id, name, isPublic, key }));
    return { ...(await this.get(user, id)), key };
  }

  /** @throws {ApiError} 404, 409 `name_taken`. */
  async update(user: SessionUser, id: string, { name, public: isPublic }: UpdateWorkerDto): Promise<WorkerDto> {
    await withUniqueName(name, () => this.workers.update(id, name ?? null, isPublic ?? null));
    if (isPublic) await this.freeWorkers.assignToWaiting();
    return this.get(user, id);
  }

  /**
   * Deletes a worker and ends the runs that wait for it. An account that loses its free worker waits for another one.
   * @throws {ApiError} 404, 409 `has_live_run` while the worker executes runs.
   */
  async delete(id: string): Promise<DeletedDto> {
    const deleted = await this.workers.transaction(manager => this.deleteIn(manager, id));
    await this.announceDeletion();
    return { deleted };
  }

  /**
   * Deletes a worker in the caller's transaction. Call `announceDeletion` after the commit.
   * @throws {ApiError} 404, 409 `has_live_run` while the worker executes runs.
   */
  async deleteIn(
    manager: EntityManager,
    id: string,
  ): Promise<{ workers: number; worker_assignments: number; waiting_runs: number }> {
    const name = await this.workers.lock(manager, id);
    if (name === undefined) throw notFound('worker', id);
    const live = await this.workers.countLiveRuns(manager, id);
    if (live.in_progress > 0) {
      throw new ApiError(
        'has_live_run',
        `${name} still has live runs: ${live.in_progress}. Wait until they end, or restart the worker with mode \`stop\`, then delete it.`,
        { runs: live.in_progress },
      );
    }
    const userIds = await this.workers.delete(manager, id);
    await this.freeWorkers.queueAgain(userIds, manager);
    return { workers: 1, worker_assignments: userIds.length, waiting_runs: live.waiting };
  }

  /** Ends the runs that waited for deleted workers, closes their connections, and assigns other free workers. */
  async announceDeletion(): Promise<void> {
    await this.withdrawals.publish();
    await this.restarts.poll();
    await this.freeWorkers.assignToWaiting();
  }

  /**
   * Replaces the key of a worker, and closes the connection that uses the old key.
   * @throws {ApiError} 404; 409 `conflict` if the worker belongs to a group.
   */
  async rotateKey(user: SessionUser, id: string): Promise<WorkerKeyDto> {
    const { name, group_id } = await this.get(user, id);
    if (group_id !== null) {
      throw new ApiError(
        'conflict',
        `${name} connects with the key of its worker group. Replace the key of the group.`,
      );
    }
    const key = newWorkerKey();
    await this.workers.replaceKey(id, key);
    await this.restarts.poll();
    return { ...(await this.get(user, id)), key };
  }

  ofKey(key: string): Promise<Worker | null> {
    return this.workers.findByKey(key);
  }
}

async function withUniqueName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'workers_name_key')) throw error;
    throw new ApiError('name_taken', `A worker named “${name}” already exists. Choose another name.`);
  }
}

const toDto = (row: WorkerRow, { role }: SessionUser): WorkerDto => ({
  id: row.id,
  name: row.name,
  public: row.public,
  group_id: row.group_id,
  ip_address: row.ip_address,
  version: row.version,
  status: row.status,
  usable: row.usable,
  may_restart: row.may_restart,
  sandbox: row.sandbox,
  // Only administrators see the notes, because they describe the machine.
  sandbox_layers: row.sandbox_layers.map(layer => (role === 'admin' ? layer : { ...layer, note: null })),
  environments: row.environments,
  chromium: row.chromium === null ? null : { version: row.chromium, is_old: isChromiumOld(row.chromium) },
  nodes: row.nodes,
  slots: row.slots,
  free_slots: row.free_slots,
  usage: row.usage,
  runs: row.runs,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
