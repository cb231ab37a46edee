import { Injectable } from '@nestjs/common';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import type { AssignedUser } from './worker-assignments.dto.js';
import { type Assignable, type AssignmentRow, WorkerAssignmentsRepository } from './worker-assignments.repository.js';

export const SORTABLE = ['created_at', 'id'];
const NOUNS: Record<Assignable['kind'], string> = { worker: 'worker', group: 'worker group' };
const COUNTS: Record<Assignable['kind'], string> = { worker: 'worker_assignments', group: 'worker_group_assignments' };

/**
 * Assigns workers, and groups with the workers that they have and get, to users. Administrators, and all users of public
 * workers, need no assignment.
 */
@Injectable()
export class WorkerAssignmentsService {
  constructor(private readonly assignments: WorkerAssignmentsRepository) {}

  /** @throws {ApiError} 404. */
  async list<T>(of: Assignable, query: ListQuery, toDto: (user: AssignedUser) => T): Promise<List<T>> {
    const order = parseSort(query.sort, SORTABLE);
    if (!(await this.assignments.exists(of))) throw notFound(NOUNS[of.kind], of.id);
    return this.assignments.page(of, query, order, row => toDto(toUser(row)));
  }

  /**
   * Adds an assignment. If the user waits for a free worker and this is or has one with the full sandbox, the waiting ends.
   * @throws {ApiError} 404, also for the user; 409 `conflict` if the user has the assignment already.
   */
  create(of: Assignable, userId: string): Promise<AssignedUser> {
    return this.assignments.transaction(async manager => {
      const found = await this.assignments.lock(manager, of);
      if (!found) throw notFound(NOUNS[of.kind], of.id);
      const username = await this.assignments.lockUser(manager, userId);
      if (username === undefined) throw notFound('user', userId);
      const created_at = await this.assignments.insert(manager, of, userId);
      if (!created_at) throw new ApiError('conflict', `${found.name} is already assigned to ${username}.`);
      if (found.has_full_sandbox) await this.assignments.unqueue(manager, userId);
      return toUser({ user_id: userId, username, created_at });
    });
  }

  /**
   * Removes an assignment. The user's runs on the workers continue; those that wait for one of them end within a second.
   * @throws {ApiError} 404.
   */
  async delete(of: Assignable, userId: string): Promise<DeletedDto> {
    if (!(await this.assignments.delete(of, userId))) {
      throw notFound(`assignment of this ${NOUNS[of.kind]} to a user`, userId);
    }
    return { deleted: { [COUNTS[of.kind]]: 1 } };
  }
}

const toUser = ({ created_at, ...row }: AssignmentRow): AssignedUser => ({
  ...row,
  created_at: created_at.toISOString(),
});
