import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { firstIdAt } from '../common/first-id-at.js';
import { type List, parseSort } from '../common/list-query.js';
import { listSqlPage } from '../common/list-rows.js';
import { preparedQuery } from '../common/prepared-query.js';
import { COLUMNS, type ExecutionRow, JOINS, toDto } from './execution-rows.js';
import type { ExecutionDto, ExecutionsListQuery } from './executions.dto.js';

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
