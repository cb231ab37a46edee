import { Injectable } from '@nestjs/common';
import type { Action, FireOutcome, RunErrorCode } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import type { FiresListQuery, ScheduleFireDto } from './schedules.dto.js';

interface FireRow {
  id: string;
  schedule_id: string;
  fire_at: Date;
  outcome: FireOutcome;
  manual: boolean;
  reason_code: string | null;
  reason: string | null;
  left_out: number;
  execution_id: string | null;
  action: Action | null;
  error_code: RunErrorCode | null;
  created_at: Date;
  updated_at: Date;
}

const SORTABLE = ['fire_at'];
const COLUMNS = 'f.*, e.action, e.error_code';
const JOINS = 'LEFT JOIN executions e ON e.id = f.execution_id';

/** What became of each time at which a schedule was due. */
@Injectable()
export class ScheduleFiresService {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {ApiError} 404. */
  async list(ownerId: string, scheduleId: string, query: FiresListQuery): Promise<List<ScheduleFireDto>> {
    const [schedule] = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM schedules WHERE id = $1 AND owner_id = $2',
      [scheduleId, ownerId],
    );
    if (!schedule) throw notFound('schedule', scheduleId);
    const list = {
      dataSource: this.dataSource,
      table: 'schedule_fires',
      alias: 'f',
      columns: COLUMNS,
      joins: JOINS,
      where: 'f.schedule_id = $1 AND ($2::text IS NULL OR f.outcome = $2)',
      values: [scheduleId, query.outcome ?? null],
    };
    return listSqlPage(list, query, parseSort(query.sort, SORTABLE, '-fire_at'), toDto);
  }

  /** @throws {ApiError} 404. */
  async at(scheduleId: string, fireAt: Date): Promise<ScheduleFireDto> {
    const [row] = await this.dataSource.query<FireRow[]>(
      `SELECT ${COLUMNS} FROM schedule_fires f ${JOINS} WHERE f.schedule_id = $1 AND f.fire_at = $2`,
      [scheduleId, fireAt],
    );
    if (!row) throw notFound('schedule', scheduleId);
    return toDto(row);
  }
}

const toDto = (row: FireRow): ScheduleFireDto => ({
  id: row.id,
  schedule_id: row.schedule_id,
  fire_at: row.fire_at.toISOString(),
  outcome: row.outcome,
  manual: row.manual,
  reason_code: row.reason_code,
  reason: row.reason,
  left_out: row.left_out,
  execution:
    row.execution_id && row.action ? { id: row.execution_id, action: row.action, error_code: row.error_code } : null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
