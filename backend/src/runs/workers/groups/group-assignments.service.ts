import { Injectable } from '@nestjs/common';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { WorkerAssignmentsRepository } from '../assignments/worker-assignments.repository.js';
import { type GroupAssignmentRow, GroupAssignmentsRepository } from './group-assignments.repository.js';
import type { WorkerGroupAssignmentDto } from './worker-groups.dto.js';
import { WorkerGroupsRepository } from './worker-groups.repository.js';

export const SORTABLE = ['created_at', 'id'];

/** Assigns worker groups to users, who may then use all workers of the group. */
@Injectable()
export class GroupAssignmentsService {
  constructor(
    private readonly assignments: GroupAssignmentsRepository,
    private readonly groups: WorkerGroupsRepository,
    private readonly ofWorkers: WorkerAssignmentsRepository,
  ) {}

  /** @throws {ApiError} 404. */
  async list(groupId: string, query: ListQuery): Promise<List<WorkerGroupAssignmentDto>> {
    const order = parseSort(query.sort, SORTABLE);
    if (!(await this.groups.find(groupId))) throw notFound('worker group', groupId);
    return this.assignments.page(groupId, query, order, toDto);
  }

  /**
   * Assigns a group. If the user waits for a free worker and the group has one with the full sandbox, the waiting ends.
   * @throws {ApiError} 404 for the group or the user, 409 `conflict` if the group is already assigned to the user.
   */
  create(groupId: string, userId: string): Promise<WorkerGroupAssignmentDto> {
    return this.groups.transaction(async manager => {
      const group = await this.groups.lockForAssignment(manager, groupId);
      if (!group) throw notFound('worker group', groupId);
      const username = await this.ofWorkers.lockUser(manager, userId);
      if (username === undefined) throw notFound('user', userId);
      const row = await this.assignments.insert(manager, groupId, userId);
      if (!row) throw new ApiError('conflict', `${group.name} is already assigned to ${username}.`);
      if (group.has_full_sandbox) await this.ofWorkers.unqueue(manager, userId);
      return toDto({ ...row, username });
    });
  }

  /**
   * Removes an assignment. The user's runs on workers of the group continue; those that wait for one of them end within
   * a second.
   * @throws {ApiError} 404.
   */
  async delete(groupId: string, userId: string): Promise<DeletedDto> {
    if (!(await this.assignments.delete(groupId, userId))) {
      throw notFound('assignment of this worker group to a user', userId);
    }
    return { deleted: { worker_group_assignments: 1 } };
  }
}

const toDto = ({ group_id, user_id, username, created_at }: GroupAssignmentRow): WorkerGroupAssignmentDto => ({
  group_id,
  user_id,
  username,
  created_at: created_at.toISOString(),
});
