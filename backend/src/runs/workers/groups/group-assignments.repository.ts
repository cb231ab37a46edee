import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { List, ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';

export interface GroupAssignmentRow {
  group_id: string;
  user_id: string;
  username: string;
  created_at: Date;
}

/** Statements on `worker_group_assignments`. */
@Injectable()
export class GroupAssignmentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  page<T>(
    groupId: string,
    query: ListQuery,
    order: ReturnType<typeof parseSort>,
    toDto: (row: GroupAssignmentRow) => T,
  ): Promise<List<T>> {
    const list = {
      dataSource: this.dataSource,
      table: '(SELECT user_id AS id, group_id, user_id, created_at FROM worker_group_assignments)',
      alias: 'a',
      columns: 'a.group_id, a.user_id, u.username, a.created_at',
      joins: 'JOIN users u ON u.id = a.user_id',
      where: 'a.group_id = $1',
      values: [groupId],
    };
    return listSqlPage(list, query, order, toDto);
  }

  /** Assigns the group to the user. Returns undefined if it is already assigned to the user. */
  async insert(
    manager: EntityManager,
    groupId: string,
    userId: string,
  ): Promise<Omit<GroupAssignmentRow, 'username'> | undefined> {
    const [row] = await manager.query<Omit<GroupAssignmentRow, 'username'>[]>(
      'INSERT INTO worker_group_assignments (group_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING *',
      [groupId, userId],
    );
    return row;
  }

  /** Removes an assignment. Returns false if there was none. */
  async delete(groupId: string, userId: string): Promise<boolean> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM worker_group_assignments WHERE group_id = $1 AND user_id = $2',
      [groupId, userId],
    );
    return deleted > 0;
  }

  /** Removes all assignments of a group. Returns the ids of its users. */
  async deleteOfGroup(manager: EntityManager, groupId: string): Promise<string[]> {
    const [rows] = await manager.query<[{ user_id: string }[], number]>(
      'DELETE FROM worker_group_assignments WHERE group_id = $1 RETURNING user_id',
      [groupId],
    );
    return rows.map(({ user_id }) => user_id);
  }
}
