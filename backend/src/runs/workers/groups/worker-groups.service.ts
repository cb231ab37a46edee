import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { isUniqueViolation } from '../../../platform/common/postgres-errors.js';
import type { List, ListQuery } from '../../../platform/http/lists/list-query.js';
import { WorkerAssignmentsRepository } from '../assignments/worker-assignments.repository.js';
import { FreeWorkersService } from '../free-workers.service.js';
import { RestartsService } from '../restarts.service.js';
import { newWorkerKey } from '../worker-keys.js';
import { WorkersService } from '../workers.service.js';
import type {
  NewWorkerGroupDto,
  UpdateWorkerGroupDto,
  WorkerGroupDto,
  WorkerGroupKeyDto,
} from './worker-groups.dto.js';
import { type WorkerGroupRow, WorkerGroupsRepository } from './worker-groups.repository.js';

@Injectable()
export class WorkerGroupsService {
  constructor(
    private readonly groups: WorkerGroupsRepository,
    private readonly workers: WorkersService,
    private readonly assignments: WorkerAssignmentsRepository,
    private readonly freeWorkers: FreeWorkersService,
    private readonly restarts: RestartsService,
  ) {}

  list(query: ListQuery): Promise<List<WorkerGroupDto>> {
    return this.groups.page(query, toDto);
  }

  /** @throws {ApiError} 409 `name_taken`. */
  async create({ name, public: isPublic }: NewWorkerGroupDto): Promise<WorkerGroupKeyDto> {
    const [id, key] = [uuidv7(), newWorkerKey()];
    await withUniqueName(name, () => this.groups.insert({ id, name, isPublic, key }));
    return { ...(await this.#get(id)), key };
  }

  /**
   * Changes a group. Its present workers keep their names.
   * @throws {ApiError} 404, 409 `name_taken`.
   */
  async update(id: string, { name, public: isPublic }: UpdateWorkerGroupDto): Promise<WorkerGroupDto> {
    await withUniqueName(name, () => this.groups.update(id, name ?? null, isPublic ?? null));
    if (isPublic) await this.freeWorkers.assignToWaiting();
    return this.#get(id);
  }

  /**
   * Replaces the key of a group, and closes the connections of its workers.
   * @throws {ApiError} 404.
   */
  async rotateKey(id: string): Promise<WorkerGroupKeyDto> {
    const key = newWorkerKey();
    await this.groups.replaceKey(id, key);
    await this.restarts.poll();
    return { ...(await this.#get(id)), key };
  }

  /**
   * Deletes a group with its workers, and ends the runs that wait for one of them.
   * @throws {ApiError} 404, 409 `has_live_run` while one of the workers executes runs.
   */
  async delete(id: string): Promise<DeletedDto> {
    const deleted = await this.groups.transaction(async manager => {
      const workerIds = await this.groups.lock(manager, id);
      if (!workerIds) throw notFound('worker group', id);
      const counts = {
        worker_groups: 1,
        workers: 0,
        worker_assignments: 0,
        worker_group_assignments: 0,
        waiting_runs: 0,
      };
      for (const workerId of workerIds) {
        const of = await this.workers.deleteIn(manager, workerId);
        counts.workers += of.workers;
        counts.worker_assignments += of.worker_assignments;
        counts.waiting_runs += of.waiting_runs;
      }
      const userIds = await this.assignments.deleteAll(manager, { kind: 'group', id });
      counts.worker_group_assignments = userIds.length;
      await this.groups.delete(manager, id);
      await this.freeWorkers.queueAgain(userIds, manager);
      return counts;
    });
    await this.workers.announceDeletion();
    return { deleted };
  }

  async #get(id: string): Promise<WorkerGroupDto> {
    const row = await this.groups.find(id);
    if (!row) throw notFound('worker group', id);
    return toDto(row);
  }
}

async function withUniqueName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'worker_groups_name_key')) throw error;
    throw new ApiError('name_taken', `A worker group named “${name}” already exists. Choose another name.`);
  }
}

const toDto = (row: WorkerGroupRow): WorkerGroupDto => ({
  id: row.id,
  name: row.name,
  public: row.public,
  workers: row.workers,
  connected: row.connected,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
