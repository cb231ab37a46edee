import { Injectable } from '@nestjs/common';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import type { WorkerAssignmentDto } from '../workers.dto.js';
import { type AssignmentRow, WorkerAssignmentsRepository } from './worker-assignments.repository.js';

export const SORTABLE = ['created_at', 'id'];

/** Assigns workers to users. Administrators, and all users of public workers, need no assignment. */
@Injectable()
export class WorkerAssignmentsService {
  constructor(private readonly assignments: WorkerAssignmentsRepository) {}

  /** @throws {ApiError} 404. */
  async list(workerId: string, query: ListQuery): Promise<List<WorkerAssignmentDto>> {
    const order = parseSort(query.sort, SORTABLE);
    if (!(await this.assignments.hasWorker(workerId))) throw notFound('worker', workerId);
    return this.assignments.page(workerId, query, order, toDto);
  }

  /**
   * Assigns a worker. If the user waits for a free worker and this one has the full sandbox, the waiting ends.
   * @throws {ApiError} 404 for the worker or the user, 409 `conflict` if the worker is already assigned to the user.
   */
  async create(workerId: string, userId: string): Promise<WorkerAssignmentDto> {
    return this.assignments.transaction(async manager => {
      const worker = await this.assignments.lockWorker(manager, workerId);
      if (!worker) throw notFound('worker', workerId);
      const username = await this.assignments.lockUser(manager, userId);
      if (username === undefined) throw notFound('user', userId);
      const row = await this.assignments.insert(manager, workerId, userId);
      if (!row) throw new ApiError('conflict', `${worker.name} is already assigned to ${username}.`);
      if (worker.sandbox === 'full') await this.assignments.unqueue(manager, userId);
      return toDto({ ...row, username });
    });
  }

  /**
   * Removes an assignment. The user's runs on the worker continue; those that wait for it end within a second.
   * @throws {ApiError} 404.
   */
  async delete(workerId: string, userId: string): Promise<DeletedDto> {
    if (!(await this.assignments.delete(workerId, userId))) {
      throw notFound('assignment of this worker to a user', userId);
    }
    return { deleted: { worker_assignments: 1 } };
  }
}

const toDto = ({ worker_id, user_id, username, created_at }: AssignmentRow): WorkerAssignmentDto => ({
  worker_id,
  user_id,
  username,
  created_at: created_at.toISOString(),
});
