import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../platform/common/errors.js';
import type { List } from '../../platform/http/lists/list-query.js';
import { countFiresByHour, findFire, firesPage, type RecordedFire } from './schedule-fires.repository.js';
import type { FireHoursDto, FireHoursQuery, FiresListQuery, ScheduleFireDto } from './schedules.dto.js';
import { findSchedule } from './schedules.repository.js';

/** Reads the fires of schedules. */
@Injectable()
export class ScheduleFiresService {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {ApiError} 404. */
  async list(ownerId: string, scheduleId: string, query: FiresListQuery): Promise<List<ScheduleFireDto>> {
    const schedule = await findSchedule(this.dataSource.manager, ownerId, scheduleId);
    if (!schedule) throw notFound('schedule', scheduleId);
    return firesPage(this.dataSource, scheduleId, query, toDto);
  }

  async byHour(ownerId: string, { schedule_ids, from, hours }: FireHoursQuery): Promise<FireHoursDto> {
    return { items: await countFiresByHour(this.dataSource, ownerId, schedule_ids.split(','), new Date(from), hours) };
  }

  /** @throws {ApiError} 404. */
  async at(scheduleId: string, fireAt: Date): Promise<ScheduleFireDto> {
    const row = await findFire(this.dataSource.manager, scheduleId, fireAt);
    if (!row) throw notFound('schedule', scheduleId);
    return toDto(row);
  }
}

const toDto = (row: RecordedFire): ScheduleFireDto => ({
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
