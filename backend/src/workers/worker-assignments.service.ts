import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, type ListQuery, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import type { WorkerAssignmentDto } from './workers.dto.js';

const SORTABLE = ['created_at', 'id'];

interface AssignmentRow {
  worker_id: string;
  user_id: string;
  username: string;
  created_at: Date;
}

/** Who may use a worker beside the administrators, when it is not public. */
@Injectable()
export class WorkerAssignmentsService {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {ApiError} 404. */
  async list(workerId: string, query: ListQuery): Promise<List<WorkerAssignmentDto>> {
    const order = parseSort(query.sort, SORTABLE);
    await this.#checkWorker(workerId);
    const list = {
      dataSource: this.dataSource,
      table: '(SELECT user_id AS id, worker_id, user_id, created_at FROM worker_assignments)',
      alias: 'a',
      columns: 'a.worker_id, a.user_id, u.username, a.created_at',
      joins: 'JOIN users u ON u.id = a.user_id',
      where: 'a.worker_id = $1',
      values: [workerId],
    };
    return listSqlPage(list, query, order, toDto);
  }

  /**
   * An account that waits for its free worker has it with any that contains its code.
   * @throws {ApiError} 404 for the worker or the user, 409 `conflict` when it is assigned already.
   */
  async create(workerId: string, userId: string): Promise<WorkerAssignmentDto> {
    return this.dataSource.transaction(async manager => {
      const [worker] = await manager.query<{ name: string; sandbox: string | null }[]>(
        'SELECT name, sandbox FROM workers WHERE id = $1 FOR KEY SHARE',
        [workerId],
      );
      if (!worker) throw notFound('worker', workerId);
      const [user] = await manager.query<{ username: string }[]>(
        'SELECT username FROM users WHERE id = $1 FOR KEY SHARE',
        [userId],
      );
      if (!user) throw notFound('user', userId);
      const [row] = await manager.query<Omit<AssignmentRow, 'username'>[]>(
        `INSERT INTO worker_assignments (worker_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING *`,
        [workerId, userId],
      );
      if (!row) throw new ApiError('conflict', `${worker.name} is assigned to ${user.username} already.`);
      if (worker.sandbox === 'full') {
        await manager.query('DELETE FROM waiting_assignments WHERE user_id = $1', [userId]);
      }
      return toDto({ ...row, username: user.username });
    });
  }

  /**
   * Runs of the user that are under way go on; those that wait for the worker end within a second.
   * @throws {ApiError} 404.
   */
  async delete(workerId: string, userId: string): Promise<DeletedDto> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM worker_assignments WHERE worker_id = $1 AND user_id = $2',
      [workerId, userId],
    );
    if (deleted === 0) throw notFound('assignment of this worker to a user', userId);
    return { deleted: { worker_assignments: 1 } };
  }

  async #checkWorker(id: string): Promise<void> {
    const [row] = await this.dataSource.query<unknown[]>('SELECT 1 FROM workers WHERE id = $1', [id]);
    if (!row) throw notFound('worker', id);
  }
}

const toDto = ({ worker_id, user_id, username, created_at }: AssignmentRow): WorkerAssignmentDto => ({
  worker_id,
  user_id,
  username,
  created_at: created_at.toISOString(),
});
