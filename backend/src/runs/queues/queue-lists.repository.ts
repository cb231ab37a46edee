import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { entityFields } from '../../platform/common/entity.js';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../platform/http/lists/list-rows.js';
import type { QueueDto, QueueHostDto, QueuesQuery } from './queues.dto.js';

export const SORTABLE = ['name', 'waiting', 'failed', 'updated_at', 'created_at', 'id'];
export const SORTABLE_HOSTS = ['name', 'waiting', 'failed', 'id'];

interface CountsRow {
  waiting: string;
  delayed: string;
  leased: string;
  done: string;
  failed: string;
}

interface QueueRow extends CountsRow {
  id: string;
  name: string;
  bytes: string;
  done_per_minute: string;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

interface HostRow extends CountsRow {
  id: number;
  name: string;
  next_url: string | null;
  error: string | null;
}

/** SQL: what was done in the last 60 seconds. Assumes that the minute before was even. */
const DONE_PER_MINUTE = `(SELECT round(CASE q.minute
  WHEN floor(at / 60) THEN q.done_in_minute + q.done_before * (1 - (at / 60 - floor(at / 60)))
  WHEN floor(at / 60) - 1 THEN q.done_in_minute * (1 - (at / 60 - floor(at / 60))) ELSE 0 END)
  FROM (SELECT extract(epoch FROM now()) AS at) AS t)`;

const COLUMNS = `q.*, ${DONE_PER_MINUTE} AS done_per_minute, (SELECT min(r.due_at) FROM queue_requests r WHERE r.queue = q.key AND r.state = 'd') AS next_at`;

const REQUESTS_OF_HOST = 'FROM queue_requests r WHERE r.queue = h.queue AND r.host = h.id';
/** SQL: address of the request of a host that is taken next. */
const NEXT_URL = `(SELECT r.url ${REQUESTS_OF_HOST} AND r.state = 'w' ORDER BY r.rank LIMIT 1)`;
/** SQL: an error of a host. A skript may fail millions of requests without one, so this looks at some of them. */
const AN_ERROR = `(SELECT max(f.error) FROM (SELECT r.error ${REQUESTS_OF_HOST} AND r.state = 'f' LIMIT 100) f)`;

/** Reads queues for their owner. */
@Injectable()
export class QueueListsRepository {
  constructor(private readonly dataSource: DataSource) {}

  page(ownerId: string, query: QueuesQuery): Promise<List<QueueDto>> {
    const { name_contains } = query;
    const where = `q.owner_id = $1 AND q.deleted_at IS NULL${name_contains ? ' AND q.name ILIKE $2' : ''}`;
    const values = [ownerId, ...(name_contains ? [containsPattern(name_contains)] : [])];
    const list = { dataSource: this.dataSource, table: 'queues', alias: 'q', columns: COLUMNS, joins: '' };
    return listSqlPage({ ...list, where, values }, query, parseSort(query.sort, SORTABLE, '-updated_at'), toQueue);
  }

  async find(ownerId: string, id: string): Promise<QueueDto | null> {
    const [row] = await this.dataSource.query<QueueRow[]>(
      `SELECT ${COLUMNS} FROM queues q WHERE q.id = $1 AND q.owner_id = $2 AND q.deleted_at IS NULL`,
      [id, ownerId],
    );
    return row ? toQueue(row) : null;
  }

  pageOfHosts(id: string, query: ListQuery): Promise<List<QueueHostDto>> {
    const rows = {
      table: 'queue_hosts',
      alias: 'h',
      columns: `h.*, ${NEXT_URL} AS next_url, ${AN_ERROR} AS error`,
      joins: '',
      where: 'h.queue = (SELECT key FROM queues WHERE id = $1)',
      values: [id],
    };
    const order = parseSort(query.sort, SORTABLE_HOSTS, '-waiting');
    return listSqlPage({ dataSource: this.dataSource, ...rows }, query, order, toHost);
  }
}

const countsOf = ({ waiting, delayed, leased, done, failed }: CountsRow) => ({
  waiting: Number(waiting) + Number(delayed),
  taken: Number(leased),
  done: Number(done),
  failed: Number(failed),
});

const toQueue = (row: QueueRow): QueueDto => ({
  ...entityFields(row),
  name: row.name,
  ...countsOf(row),
  done_per_minute: Number(row.done_per_minute),
  bytes: Number(row.bytes),
  next_at: row.next_at?.toISOString() ?? null,
});

const toHost = (row: HostRow): QueueHostDto => ({
  host: row.name,
  ...countsOf(row),
  next_url: row.next_url,
  error: row.error,
});
