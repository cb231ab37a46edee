import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';
import type { RunProxyDto } from './run-proxies.dto.js';

export const SORTABLE = ['address', 'pool', 'connections', 'failures', 'bytes_sent', 'bytes_received', 'id'];

const COLUMNS = `x.id, x.pool, x.address, x.connections::float8 AS connections, x.failures::float8 AS failures,
  x.bytes_sent::float8 AS bytes_sent, x.bytes_received::float8 AS bytes_received, x.cost`;

/** Statements that read `execution_proxies`. */
@Injectable()
export class RunProxiesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {ApiError} 404. */
  async page(ownerId: string, id: string, query: ListQuery): Promise<List<RunProxyDto>> {
    const order = parseSort(query.sort, SORTABLE, '-bytes_received');
    const runs = await this.dataSource.query<unknown[]>('SELECT FROM executions WHERE id = $1 AND owner_id = $2', [
      id,
      ownerId,
    ]);
    if (runs.length === 0) throw notFound('skript execution', id);
    const table = { dataSource: this.dataSource, table: 'execution_proxies', alias: 'x', columns: COLUMNS, joins: '' };
    const list = { ...table, where: 'x.execution_id = $1', values: [id] };
    return listSqlPage<RunProxyDto, RunProxyDto>(list, query, order, row => row);
  }
}
