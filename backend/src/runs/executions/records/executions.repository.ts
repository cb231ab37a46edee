import { Injectable } from '@nestjs/common';
import { LIVE_ACTIONS, type RequestedHost, type RunWrite, type UsageSample } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { preparedQuery } from '../../../platform/common/sql/prepared-query.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../../platform/http/lists/list-rows.js';
import { deleteProfiles } from '../verdicts/profiles-sql.js';
import {
  COLUMNS,
  COMPLETE_COLUMNS,
  type ExecutionRow,
  JOINS,
  LISTED_VERDICT,
  toListedDto,
  toPlatformDto,
  VERDICT_LEVEL,
} from './execution-rows.js';
import type {
  AllExecutionsQuery,
  ExecutionsListQuery,
  LatestRunDto,
  ListedExecutionDto,
  PlatformExecutionDto,
} from './executions.dto.js';
import { setWrites } from './other-rows-sql.js';
import { conditionOf, type RunFilter } from './run-filter.js';

export const SORTABLE = ['created_at', 'id'];
/** Number of runs that a chart of a skript shows. */
const LATEST_RUNS = 40;
/** After most of a list's runs are deleted, its total may be too high for this time. */
const LONG_LIST_MS = 10_000;

/** Number of rows that a run of a worker has stored. */
export interface RowCount {
  id: string;
  workerId: string;
  rows: number;
}

/** The writes and the usage of a worker's run. Missing values stay as they are. */
export interface RunReport {
  id: string;
  writes?: RunWrite[];
  usage?: UsageSample[];
  requests?: RequestedHost[];
}

/** Returns a value as a parameter of a statement. */
export const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** SQL that selects the run `$1` of the owner `$2` if it is live, or else its live retry. */
const LIVE_OF_CHAIN = `SELECT r.execution_id FROM live_runs r JOIN executions l ON l.id = r.execution_id
  WHERE r.owner_id = $2 AND (r.execution_id = $1 OR l.retry_of = $1)`;

/** SQL that selects the live runs of the owner `$1`, and the first attempts of those that are retries. */
const LIVE_CHAINS = `SELECT r.execution_id FROM live_runs r WHERE r.owner_id = $1
  UNION ALL SELECT l.retry_of FROM live_runs r JOIN executions l ON l.id = r.execution_id
  WHERE r.owner_id = $1 AND l.retry_of IS NOT NULL`;

/** Statements that read and delete `executions`. */
@Injectable()
export class ExecutionsRepository {
  readonly #longLists = new LRUCache<string, true>({ max: 1_000, ttl: LONG_LIST_MS });

  constructor(private readonly dataSource: DataSource) {}

  page(ownerId: string, query: ExecutionsListQuery): Promise<List<ListedExecutionDto>> {
    const columns = `${COLUMNS}, ${LISTED_VERDICT}`;
    return this.#page(conditionOf(ownerId, query), query, { columns, joins: JOINS }, toListedDto);
  }

  /** Lists the runs of all accounts. */
  pageOfAll(query: AllExecutionsQuery): Promise<List<PlatformExecutionDto>> {
    const columns = `${COLUMNS}, u.id AS owner_id, u.username`;
    const joins = `${JOINS} LEFT JOIN users u ON u.id = e.owner_id`;
    return this.#page(conditionOf(query.user_id, query), query, { columns, joins }, toPlatformDto);
  }

  #page<Row, Item>(
    condition: { where: string; values: unknown[] },
    query: ListQuery,
    selected: { columns: string; joins: string },
    toItem: (row: Row) => Item,
  ): Promise<List<Item>> {
    // Sorting by id, which is in the order of time, lets PostgreSQL use one index for the filter and for the order.
    const [[, direction] = ['id', 'DESC' as const]] = parseSort(query.sort, SORTABLE);
    const table = { dataSource: this.dataSource, table: 'executions', alias: 'e', indexHasOrder: true };
    const list = { ...table, ...selected, ...condition, longLists: this.#longLists };
    return listSqlPage(list, query, [['id', direction]], toItem);
  }

  /** The subquery hides the length of the array from PostgreSQL's planner, which would plan each statement again otherwise. */
  findByIds(ownerId: string, ids: string[]): Promise<ExecutionRow[]> {
    return preparedQuery<ExecutionRow>(
      this.dataSource,
      'executions of ids',
      `SELECT ${COMPLETE_COLUMNS} FROM executions e ${JOINS} WHERE e.id = ANY((SELECT $1::uuid[])::uuid[]) AND e.owner_id = $2 ORDER BY e.id`,
      [ids, ownerId],
    );
  }

  /** Lists the newest runs of each skript. A replay of an earlier run says nothing of the site as it is now. */
  latestOfSkripts(ownerId: string, skriptIds: string[]): Promise<LatestRunDto[]> {
    return this.dataSource.query<LatestRunDto[]>(
      `SELECT run.* FROM unnest($2::uuid[]) skript(id) CROSS JOIN LATERAL (
         SELECT e.id, e.skript_id, e.action, iso_time(e.created_at) AS created_at, iso_time(e.started_at) AS started_at,
           CASE WHEN e.action NOT IN ('start', 'pause') THEN iso_time(e.updated_at) END AS ended_at, ${VERDICT_LEVEL}
         FROM executions e WHERE e.owner_id = $1 AND e.skript_id = skript.id AND e.replay_of IS NULL ORDER BY e.id DESC LIMIT ${LATEST_RUNS}) run`,
      [ownerId, [...new Set(skriptIds)]],
    );
  }

  /** Finds the id of the attempt with this number. A chain is a run and all its retries. */
  async findAttempt(
    ownerId: string,
    chain: { firstId: string; afterId: string; attempt: number },
  ): Promise<string | null> {
    const [next] = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM executions WHERE owner_id = $1 AND retry_of = $2 AND id > $3 AND attempt = $4`,
      [ownerId, chain.firstId, chain.afterId, chain.attempt],
    );
    return next?.id ?? null;
  }

  /** Raises the number of a run's echoes. Does nothing if the run belongs to another worker. */
  async raiseLastSeq(workerId: string, id: string, seq: number): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'number of echoes',
      `UPDATE executions SET last_seq = $3 WHERE id = $1 AND worker_id = $2 AND last_seq < $3`,
      [id, workerId, seq],
    );
  }

  /**
   * Raises the numbers of rows that runs have stored. The commit does not wait for the disk: if PostgreSQL crashes within the
   * next second, a number may be too low until the run stores more rows. The end of a run is committed after its number.
   * Locks the runs in the order of their ids, so that overlapping calls do not deadlock.
   */
  async raiseRowCounts(counts: RowCount[]): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'numbers of rows',
      `UPDATE executions e SET row_count = c.rows
       FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting,
         (SELECT locked.id, n.rows
          FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS n(id, worker_id, rows) JOIN executions locked USING (id, worker_id)
          WHERE locked.row_count < n.rows ORDER BY locked.id FOR NO KEY UPDATE OF locked) AS c
       WHERE e.id = c.id`,
      [counts.map(({ id }) => id), counts.map(({ workerId }) => workerId), counts.map(({ rows }) => rows)],
    );
  }

  /** Saves what live runs of a worker have written and used. Locks the runs in the order of their ids. */
  async saveWrites(workerId: string, runs: RunReport[]): Promise<void> {
    await preparedQuery(
      this.dataSource,
      'writes of runs',
      `UPDATE executions e SET ${setWrites('w.writes::json')}, usage = COALESCE(w.usage::json, e.usage),
         requests = COALESCE(w.requests::json, e.requests)
       FROM (SELECT locked.id, n.writes, n.usage, n.requests
         FROM unnest($2::uuid[], $3::text[], $5::text[], $6::text[]) AS n(id, writes, usage, requests)
           JOIN executions locked USING (id)
         WHERE locked.worker_id = $1 AND locked.action = ANY($4) ORDER BY locked.id FOR NO KEY UPDATE OF locked) AS w
       WHERE e.id = w.id`,
      [
        workerId,
        runs.map(({ id }) => id),
        runs.map(({ writes }) => jsonOf(writes)),
        LIVE_ACTIONS,
        runs.map(({ usage }) => jsonOf(usage)),
        runs.map(({ requests }) => jsonOf(requests)),
      ],
    );
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** Deletes a run unless the run or one of its retries is live. Returns whether the run was deleted. */
  async deleteEnded(manager: EntityManager, ownerId: string, id: string): Promise<boolean> {
    const [deletedRows] = await manager.query<[{ id: string }[], number]>(
      `DELETE FROM executions e WHERE id = $1 AND owner_id = $2
         AND NOT EXISTS (${LIVE_OF_CHAIN}) RETURNING id`,
      [id, ownerId],
    );
    return deletedRows.length > 0;
  }

  /**
   * Deletes up to `limit` runs of the filter, the oldest first, with their data. Keeps runs that are live or have a
   * live retry.
   */
  deleteMany(
    manager: EntityManager,
    ownerId: string,
    filter: RunFilter,
    limit: number,
  ): Promise<{ ids: string[]; deleted: DeletedRuns }> {
    const { where, values } = conditionOf(ownerId, filter);
    return deleteRuns(manager, `${where} AND e.id NOT IN (${LIVE_CHAINS})`, values, limit);
  }

  /** Returns the id of the live one among this run and its retries; null if none is live. */
  async findLiveOfChain(manager: EntityManager, ownerId: string, id: string): Promise<string | null> {
    const [live] = await manager.query<{ execution_id: string }[]>(LIVE_OF_CHAIN, [id, ownerId]);
    return live?.execution_id ?? null;
  }
}

export type DeletedRuns = { skript_executions: number; echo_chunks: number };

/** Deletes up to `limit` runs of an account that have ended, with their data. Returns how many of each it deleted. */
export async function deleteEndedRunsOf(manager: EntityManager, ownerId: string, limit: number): Promise<DeletedRuns> {
  const where = 'e.owner_id = $1 AND NOT EXISTS (SELECT 1 FROM live_runs WHERE execution_id = e.id)';
  const { deleted } = await deleteRuns(manager, where, [ownerId], limit);
  return deleted;
}

/** Deletes up to `limit` of the runs for which an SQL condition on `executions e` is true, with their data. */
async function deleteRuns(
  manager: EntityManager,
  condition: string,
  values: unknown[],
  limit: number,
): Promise<{ ids: string[]; deleted: DeletedRuns }> {
  const [rows] = await manager.query<[{ id: string }[], number]>(
    `DELETE FROM executions WHERE id IN (
       SELECT e.id FROM executions e WHERE ${condition} ORDER BY e.id LIMIT ${limit}) RETURNING id`,
    values,
  );
  // RETURNING has no order.
  const ids = rows.map(run => run.id).sort();
  return { ids, deleted: { skript_executions: ids.length, echo_chunks: await deleteDataOfRuns(manager, ids) } };
}

/** Deletes all data of deleted runs: echoes, profiles, evidence, records, inserted rows and figures of proxies. Returns the number of chunks of echoes. */
export async function deleteDataOfRuns(manager: EntityManager, ids: string[]): Promise<number> {
  const [, chunks] = await manager.query<[unknown, number]>(
    `WITH ${deleteProfiles('execution_id = ANY($1::uuid[])')},
       evidence AS (DELETE FROM run_evidence WHERE execution_id = ANY($1::uuid[])),
       records AS (DELETE FROM record_parts WHERE execution_id = ANY($1::uuid[])),
       inserted AS (DELETE FROM inserted_rows WHERE execution_id = ANY($1::uuid[])),
       proxies AS (DELETE FROM execution_proxies WHERE execution_id = ANY($1::uuid[]))
     DELETE FROM echo_chunks WHERE execution_id = ANY($1::uuid[])`,
    [ids],
  );
  return chunks;
}
