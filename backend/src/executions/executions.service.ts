import { Injectable } from '@nestjs/common';
import type { Action, RunErrorCode, WaitingFor, WaitingReason } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { firstIdAt } from '../common/first-id-at.js';
import { type List, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import { preparedQuery } from '../common/prepared-query.js';
import type { ExecutionDto, ExecutionsListQuery } from './executions.dto.js';

interface ExecutionRow {
  id: string;
  worker_id: string | null;
  worker_name: string | null;
  skript_id: string;
  skript_name: string;
  skript_category: string;
  input_id: string | null;
  input_name: string | null;
  input_secret_id: string | null;
  input_secret_name: string | null;
  action: Action;
  waiting_reason: WaitingReason | null;
  waiting_since: Date | null;
  run_after: Date | null;
  error_code: RunErrorCode | null;
  error_stack: string | null;
  output?: unknown;
  attempt: number;
  retry_of: string | null;
  schedule_id: string | null;
  schedule_name: string | null;
  last_seq: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `e.id, e.worker_id, e.worker_name, e.skript_id, e.skript_name, e.skript_category, e.input_id,
  e.input_name, e.input_secret_id, e.input_secret_name, e.action, r.waiting_reason, r.waiting_since, r.run_after, e.error_code,
  e.error_stack, e.attempt, e.retry_of, e.schedule_id, c.name AS schedule_name, e.last_seq, e.created_at, e.updated_at`;
const JOINS = `LEFT JOIN live_runs r ON r.execution_id = e.id
  LEFT JOIN schedules c ON c.id = e.schedule_id`;

/** The run `$1` of the owner `$2` if it goes on, or the try of it that does. */
const LIVE_OF_CHAIN = `SELECT r.execution_id FROM live_runs r JOIN executions l ON l.id = r.execution_id
  WHERE r.owner_id = $2 AND (r.execution_id = $1 OR l.retry_of = $1)`;

const GOES_ON = 'This run is still going on. Stop it first, then delete it.';
const LATER_TRY_GOES_ON = 'A later try of this run is still going on. Stop it first, then delete this one.';

@Injectable()
export class ExecutionsService {
  constructor(private readonly dataSource: DataSource) {}

  async list(ownerId: string, query: ExecutionsListQuery): Promise<List<ExecutionDto>> {
    // Ids sort by time, so that one index serves the filter and the order.
    const [[, direction] = ['id', 'DESC' as const]] = parseSort(query.sort, ['created_at', 'id']);
    const filters: [condition: string, value: string | undefined][] = [
      ['owner_id =', ownerId],
      ['skript_id =', query.skript_id],
      ['worker_id =', query.worker_id],
      ['action =', query.action],
      ['retry_of =', query.retry_of],
      ['schedule_id =', query.schedule_id],
      ['id >=', query.created_from && firstIdAt(new Date(query.created_from))],
      ['id <', query.created_to && firstIdAt(new Date(query.created_to))],
    ];
    const set = filters.filter(([, value]) => value !== undefined);
    const list = {
      dataSource: this.dataSource,
      table: 'executions',
      alias: 'e',
      columns: COLUMNS,
      joins: JOINS,
      where: set.map(([condition], index) => `e.${condition} $${index + 1}`).join(' AND '),
      values: set.map(([, value]) => value),
    };
    return listSqlPage(list, query, [['id', direction]], toDto);
  }

  /** Of these ids, those that are the owner's. */
  async ofIds(ownerId: string, ids: string[]): Promise<ExecutionDto[]> {
    const rows = await preparedQuery<ExecutionRow>(
      this.dataSource,
      'executions of ids',
      `SELECT ${COLUMNS}, e.output FROM executions e ${JOINS} WHERE e.id = ANY($1::uuid[]) AND e.owner_id = $2 ORDER BY e.id`,
      [ids, ownerId],
    );
    return rows.map(toDto);
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ExecutionDto> {
    const [execution] = await this.ofIds(ownerId, [id]);
    if (!execution) throw notFound('skript execution', id);
    return execution;
  }

  /** The try that followed this one; null when none has. */
  async nextTry(ownerId: string, { id, retry_of, attempt }: ExecutionDto): Promise<string | null> {
    const [next] = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM executions WHERE owner_id = $1 AND retry_of = $2 AND id > $3 AND attempt = $4`,
      [ownerId, retry_of ?? id, id, attempt + 1],
    );
    return next?.id ?? null;
  }

  /** @throws {ApiError} 404, 409 `has_live_run` while it, or a later try of it, goes on. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    return this.dataSource.transaction(async manager => {
      const [deletedRows] = await manager.query<[{ id: string }[], number]>(
        `DELETE FROM executions e WHERE id = $1 AND owner_id = $2
           AND NOT EXISTS (${LIVE_OF_CHAIN}) RETURNING id`,
        [id, ownerId],
      );
      if (deletedRows.length === 0) {
        const [live] = await manager.query<{ execution_id: string }[]>(LIVE_OF_CHAIN, [id, ownerId]);
        if (live) throw new ApiError('has_live_run', live.execution_id === id ? GOES_ON : LATER_TRY_GOES_ON);
        throw notFound('skript execution', id);
      }
      const [, chunks] = await manager.query<[unknown, number]>(`DELETE FROM echo_chunks WHERE execution_id = $1`, [
        id,
      ]);
      return { deleted: { skript_executions: 1, echo_chunks: chunks } };
    });
  }
}

export const waitingFor = (reason: WaitingReason, since: Date, runAfter: Date | null): WaitingFor => ({
  reason,
  since: since.toISOString(),
  ...(reason === 'retry_scheduled' && runAfter ? { until: runAfter.toISOString() } : {}),
});

function toDto(row: ExecutionRow): ExecutionDto {
  return {
    id: row.id,
    worker: row.worker_id ? { id: row.worker_id, name: row.worker_name ?? '' } : null,
    skript: { id: row.skript_id, category: row.skript_category, name: row.skript_name },
    input: row.input_id ? { id: row.input_id, name: row.input_name ?? '' } : null,
    inputSecret: row.input_secret_id ? { id: row.input_secret_id, name: row.input_secret_name ?? '' } : null,
    action: row.action,
    waiting_for:
      row.waiting_reason && row.waiting_since ? waitingFor(row.waiting_reason, row.waiting_since, row.run_after) : null,
    error_code: row.error_code,
    error_stack: row.error_stack,
    output: row.output,
    attempt: row.attempt,
    retry_of: row.retry_of,
    schedule: row.schedule_id ? { id: row.schedule_id, name: row.schedule_name ?? '' } : null,
    last_seq: row.last_seq,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
