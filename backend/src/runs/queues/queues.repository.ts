import { Injectable } from '@nestjs/common';
import { QUEUE_LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../platform/http/lists/list-rows.js';
import type { AllQueuesQuery, PlatformQueueDto, QueueDto, QueueHostDto } from './queues.dto.js';

export const SORTABLE = ['updated_at', 'created_at', 'name', 'id'];
export const SORTABLE_HOSTS = ['name', 'waiting', 'failed', 'id'];

/** Requests that one statement deletes or changes. */
const BATCH = 5_000;
/** Most failed requests that one call has tried again. */
const MAX_RETRIED = 100_000;

/** SQL: whether a run that has ended holds requests. */
export const HAS_ENDED_TAKERS = `EXISTS (SELECT FROM queue_takers t
  WHERE NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = t.execution_id))`;

/** SQL: whether requests of a deleted queue are left. */
export const HAS_DELETED = 'EXISTS (SELECT FROM queues WHERE deleted_at IS NOT NULL OR owner_id IS NULL)';

interface CountsRow {
  waiting: string;
  delayed: string;
  leased: string;
  done: string;
  failed: string;
}

interface QueueRow extends CountsRow {
  id: string;
  owner_id: string;
  username: string | null;
  name: string;
  bytes: string;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

interface HostRow extends CountsRow {
  id: number;
  name: string;
  next_url: string | null;
}

/** When the first delayed request may be tried again. */
const NEXT_AT = `(SELECT min(r.due_at) FROM queue_requests r WHERE r.queue = q.key AND r.state = 'd') AS next_at`;

/** Statements of `queues` and its tables, except the calls of runs. */
@Injectable()
export class QueuesRepository {
  constructor(private readonly dataSource: DataSource) {}

  page(ownerId: string, query: ListQuery): Promise<List<QueueDto>> {
    return this.#page({ ...query, user_id: ownerId }, toDto);
  }

  /** Lists the queues of all accounts. */
  pageOfAll(query: AllQueuesQuery): Promise<List<PlatformQueueDto>> {
    return this.#page(query, row => ({ ...toDto(row), owner: { id: row.owner_id, username: row.username ?? '' } }));
  }

  #page<Item>(query: AllQueuesQuery, toItem: (row: QueueRow) => Item): Promise<List<Item>> {
    const owner = query.user_id === undefined ? 'q.owner_id IS NOT NULL' : 'q.owner_id = $1';
    const rows = {
      table: 'queues',
      alias: 'q',
      columns: `q.*, u.username, ${NEXT_AT}`,
      joins: 'LEFT JOIN users u ON u.id = q.owner_id',
      where: `${owner} AND q.deleted_at IS NULL`,
      values: query.user_id === undefined ? [] : [query.user_id],
    };
    const order = parseSort(query.sort, SORTABLE, '-updated_at');
    return listSqlPage({ dataSource: this.dataSource, ...rows }, query, order, toItem);
  }

  async find(ownerId: string, id: string): Promise<QueueDto | null> {
    const [row] = await this.dataSource.query<QueueRow[]>(
      `SELECT q.*, ${NEXT_AT} FROM queues q WHERE q.id = $1 AND q.owner_id = $2 AND q.deleted_at IS NULL`,
      [id, ownerId],
    );
    return row ? toDto(row) : null;
  }

  pageOfHosts(id: string, query: ListQuery): Promise<List<QueueHostDto>> {
    const rows = {
      table: 'queue_hosts',
      alias: 'h',
      columns: `h.*, (SELECT r.url FROM queue_requests r WHERE r.queue = h.queue AND r.host = h.id AND r.state = 'w'
        ORDER BY r.rank LIMIT 1) AS next_url`,
      joins: '',
      where: 'h.queue = (SELECT key FROM queues WHERE id = $1)',
      values: [id],
    };
    const order = parseSort(query.sort, SORTABLE_HOSTS, '-waiting');
    return listSqlPage({ dataSource: this.dataSource, ...rows }, query, order, toHost);
  }

  /** Has failed requests tried again, at most `MAX_RETRIED` of them. */
  async retryFailed(ownerId: string, id: string): Promise<void> {
    for (let moved = 0; moved < MAX_RETRIED; moved += BATCH) {
      const count = await this.dataSource.transaction(async manager => {
        const [row] = await manager.query<{ n: number }[]>(
          `WITH failed AS (
             SELECT r.fingerprint FROM queue_requests r JOIN queues q ON q.key = r.queue
             WHERE q.id = $1 AND q.owner_id = $2 AND r.state = 'f' LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED),
           moved AS (
             UPDATE queue_requests r SET state = 'w', retries = 0 FROM failed, queues q
             WHERE q.id = $1 AND r.queue = q.key AND r.fingerprint = failed.fingerprint RETURNING r.host, r.queue),
           by_host AS (SELECT host, count(*)::int AS n FROM moved GROUP BY host),
           counted AS (
             UPDATE queues q SET waiting = waiting + m.n, failed = failed - m.n, updated_at = now()
             FROM (SELECT count(*) AS n FROM moved) m WHERE q.id = $1 AND m.n > 0 RETURNING 1)
           SELECT (SELECT sum(n)::int FROM by_host) AS n, (SELECT count(*) FROM counted) AS counted, queue_count_hosts(
             array_agg(host), array_agg(n), array_agg(0), array_agg(0), array_agg(0), array_agg(-n), false) FROM by_host`,
          [id, ownerId],
        );
        return row?.n ?? 0;
      });
      if (count < BATCH) return;
    }
  }

  /** Empties a queue at once: its requests get another row, which is marked as deleted, and go in batches. */
  async empty(ownerId: string, id: string): Promise<void> {
    await this.dataSource.transaction(async manager => {
      const [old] = await manager.query<{ key: number; bytes: string }[]>(
        `SELECT key, bytes FROM queues WHERE id = $1 AND owner_id = $2 AND deleted_at IS NULL FOR UPDATE`,
        [id, ownerId],
      );
      if (!old) return;
      await manager.query(
        `UPDATE queues SET key = nextval('queue_keys'), waiting = 0, delayed = 0, leased = 0, done = 0, failed = 0, bytes = 0,
           updated_at = now() WHERE id = $1`,
        [id],
      );
      await manager.query(
        'INSERT INTO queues (id, key, owner_id, name, bytes, deleted_at) SELECT $1, $2, owner_id, name, $3, now() FROM queues WHERE id = $4',
        [uuidv7(), old.key, old.bytes, id],
      );
    });
  }

  async delete(ownerId: string, id: string): Promise<void> {
    await this.dataSource.query('UPDATE queues SET deleted_at = now() WHERE id = $1 AND owner_id = $2', [id, ownerId]);
  }

  /** Bytes that the queues of an account take, those that are being deleted included. */
  async bytesOf(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM queues WHERE owner_id = $1',
      [ownerId],
    );
    return Number(row?.bytes ?? 0);
  }

  /** Gives back what runs that have ended hold. */
  async giveBack(): Promise<void> {
    await this.dataSource.query(
      `SELECT queue_give_back(t.id) FROM (SELECT id FROM queue_takers t
         WHERE NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = t.execution_id) LIMIT 100) t`,
    );
  }

  /** Marks queues as deleted that nobody has used for long. */
  async deleteUnused(): Promise<void> {
    await this.dataSource.query(
      `UPDATE queues SET deleted_at = now() WHERE deleted_at IS NULL AND updated_at < now() - $1 * interval '1 day'
         AND NOT EXISTS (SELECT FROM queue_takers t WHERE t.queue = queues.key)`,
      [QUEUE_LIMITS.unusedDays],
    );
  }

  /**
   * Deletes some requests of a deleted queue, or the queue if none is left.
   * @returns the account, which has more room now, or null if no queue is deleted.
   */
  deleteSome(): Promise<{ ownerId: string | null } | null> {
    return this.dataSource.transaction(async manager => {
      const [queue] = await manager.query<{ key: number; owner_id: string | null }[]>(
        `SELECT key, owner_id FROM queues WHERE deleted_at IS NOT NULL OR owner_id IS NULL ORDER BY key LIMIT 1
         FOR UPDATE SKIP LOCKED`,
      );
      if (!queue) return null;
      const { key, owner_id: ownerId } = queue;
      const [gone] = await manager.query<{ n: number }[]>(
        `WITH gone AS (
           DELETE FROM queue_requests WHERE queue = $1 AND fingerprint IN (
             SELECT fingerprint FROM queue_requests WHERE queue = $1 LIMIT ${BATCH})
           RETURNING octet_length(url) + coalesce(octet_length(data), 0) + coalesce(octet_length(error), 0) + $2 AS bytes),
         freed AS (UPDATE queues SET bytes = greatest(0, queues.bytes - (SELECT coalesce(sum(g.bytes), 0) FROM gone g)) WHERE key = $1)
         SELECT count(*)::int AS n FROM gone`,
        [key, QUEUE_LIMITS.overheadBytes],
      );
      if (gone?.n) return { ownerId };
      const [, hosts] = await manager.query<[unknown, number]>(
        `DELETE FROM queue_hosts WHERE id IN (SELECT id FROM queue_hosts WHERE queue = $1 LIMIT ${BATCH})`,
        [key],
      );
      if (hosts > 0) return { ownerId };
      await manager.query('DELETE FROM queue_takers WHERE queue = $1', [key]);
      await manager.query('DELETE FROM queues WHERE key = $1', [key]);
      return { ownerId };
    });
  }
}

const countsOf = ({ waiting, delayed, leased, done, failed }: CountsRow) => ({
  waiting: Number(waiting) + Number(delayed),
  taken: Number(leased),
  done: Number(done),
  failed: Number(failed),
});

const toDto = (row: QueueRow): QueueDto => ({
  id: row.id,
  name: row.name,
  ...countsOf(row),
  bytes: Number(row.bytes),
  next_at: row.next_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const toHost = (row: HostRow): QueueHostDto => ({ host: row.name, ...countsOf(row), next_url: row.next_url });
