import { Injectable } from '@nestjs/common';
import type { IssueStatus } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { listSqlPage } from '../../platform/http/lists/list-rows.js';
import { type Notice, recordNotices } from '../../platform/notifications/record-notices.js';
import { versionNumber } from '../skripts/versions/version-number.js';
import { failureKey } from './failure-key.js';
import type { AllIssuesQuery, IssueDto, IssuesListQuery, PlatformIssueDto } from './issues.dto.js';

export const SORTABLE = ['last_seen_at', 'first_seen_at', 'runs', 'id'];

/** SQL: whether failed runs wait to be counted. */
export const HAS_FAILURES = 'EXISTS (SELECT FROM failures WHERE issue_id IS NULL)';

/** SQL: all columns of an issue, and the numbers of its versions. */
const COLUMNS = [
  'i.*',
  ...['first_version', 'last_version', 'reopened_version'].map(
    column => `${versionNumber('i.skript_id', `i.${column}`)} AS ${column}_number`,
  ),
].join(', ');

interface FailedRun {
  id: string;
  /** Null if the run or its account is deleted. */
  owner_id: string | null;
  skript_id: string;
  skript_name: string;
  bundle_hash: string | null;
  error_code: string;
  error_stack: string | null;
  updated_at: Date;
  files: string[] | null;
}

interface IssueRow {
  id: string;
  owner_id: string;
  username: string | null;
  skript_id: string;
  skript_name: string;
  error_code: IssueDto['error_code'];
  message: string;
  frame: string | null;
  status: IssueStatus;
  runs: number;
  first_run_id: string;
  last_run_id: string;
  first_version: string | null;
  first_version_number: number | null;
  last_version: string | null;
  last_version_number: number | null;
  reopened_version: string | null;
  reopened_version_number: number | null;
  first_seen_at: Date;
  last_seen_at: Date;
  reopened_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Statements of the tables `issues` and `failures`. A trigger adds a row to `failures` for each run that fails. */
@Injectable()
export class IssuesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Counts failed runs in their issues, the oldest first. One transaction does both, so that each failure counts once even
   * if this process is killed, and other backends skip the rows that it has locked.
   * @returns how many failures it took
   */
  countFailures(limit: number): Promise<number> {
    return this.dataSource.transaction(async manager => {
      const failed = await manager.query<FailedRun[]>(
        `SELECT f.execution_id AS id, u.id AS owner_id, e.skript_id, e.skript_name, e.bundle_hash,
           COALESCE(e.error_code, 'process_ended') AS error_code, left(e.error_stack, 20000) AS error_stack,
           e.updated_at, (SELECT array_agg(s.name) FROM skript_files s WHERE s.skript_id = e.skript_id) AS files
         FROM failures f LEFT JOIN executions e ON e.id = f.execution_id LEFT JOIN users u ON u.id = e.owner_id
         WHERE f.issue_id IS NULL ORDER BY f.execution_id LIMIT $1 FOR UPDATE OF f SKIP LOCKED`,
        [limit],
      );
      const issues = issuesOf(failed.filter(({ owner_id }) => owner_id !== null));
      const counted = await manager.query<CountedIssue[]>(COUNT, [
        JSON.stringify(issues.map(({ runs, ...issue }, n) => ({ ...issue, n, runs: runs.length }))),
      ]);
      const idOf = new Map(counted.map(({ n, id }) => [n, id]));
      await recordNotices(manager, noticesOf(counted, issues));
      await manager.query(
        `UPDATE failures f SET issue_id = c.issue_id FROM unnest($1::uuid[], $2::uuid[]) AS c (id, issue_id)
         WHERE f.execution_id = c.id`,
        [issues.flatMap(({ runs }) => runs), issues.flatMap(({ runs }, n) => runs.map(() => idOf.get(n)))],
      );
      // The run or its account was deleted meanwhile.
      await manager.query('DELETE FROM failures WHERE execution_id = ANY($1::uuid[]) AND issue_id IS NULL', [
        failed.map(({ id }) => id),
      ]);
      return failed.length;
    });
  }

  /** Gives up the oldest failure that is not counted. */
  async dropOldestFailure(): Promise<void> {
    await this.dataSource.query(
      'DELETE FROM failures WHERE execution_id = (SELECT min(execution_id::text)::uuid FROM failures WHERE issue_id IS NULL)',
    );
  }

  page(ownerId: string, query: IssuesListQuery): Promise<List<IssueDto>> {
    return this.#page({ ...query, user_id: ownerId }, toDto);
  }

  /** Lists the issues of all accounts. */
  pageOfAll(query: AllIssuesQuery): Promise<List<PlatformIssueDto>> {
    return this.#page(query, row => ({
      ...toDto(row),
      owner: { id: row.owner_id, username: row.username ?? '' },
    }));
  }

  #page<Item>(query: AllIssuesQuery, toItem: (row: IssueRow) => Item): Promise<List<Item>> {
    const conditions: [condition: string, value: unknown][] = [
      ['i.owner_id = ?', query.user_id],
      ['i.skript_id = ?', query.skript_id],
      ['i.status = ?', query.status],
    ];
    const set = conditions.filter(([, value]) => value !== undefined);
    const where = ['true', ...set.map(([condition], index) => condition.replace('?', `$${index + 1}`))].join(' AND ');
    const order = parseSort(query.sort, SORTABLE, '-last_seen_at');
    const rows = {
      table: 'issues',
      alias: 'i',
      columns: `${COLUMNS}, u.username`,
      joins: 'LEFT JOIN users u ON u.id = i.owner_id',
    };
    const values = set.map(([, value]) => value);
    return listSqlPage({ dataSource: this.dataSource, ...rows, where, values }, query, order, toItem);
  }

  async find(ownerId: string, id: string): Promise<IssueDto | null> {
    const [row] = await this.dataSource.query<IssueRow[]>(
      `SELECT ${COLUMNS} FROM issues i WHERE id = $1 AND owner_id = $2`,
      [id, ownerId],
    );
    return row ? toDto(row) : null;
  }

  async setStatus(ownerId: string, id: string, status: IssueStatus): Promise<IssueDto | null> {
    const [[row]] = await this.dataSource.query<[IssueRow[], number]>(
      `UPDATE issues i SET status = $3, resolved_at = CASE WHEN $3 = 'resolved' THEN now() END, updated_at = now()
       WHERE id = $1 AND owner_id = $2 RETURNING ${COLUMNS}`,
      [id, ownerId, status],
    );
    return row ? toDto(row) : null;
  }

  /** Deletes the issues of which no run is left. Muted ones stay, so that they are muted when they come back. */
  async deleteWithoutRuns(): Promise<void> {
    await this.dataSource.query(
      'DELETE FROM failures f WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = f.execution_id)',
    );
    await this.dataSource.query(
      `DELETE FROM issues i WHERE status <> 'muted' AND NOT EXISTS (SELECT FROM failures f WHERE f.issue_id = i.id)`,
    );
  }
}

interface CountedIssue {
  /** Place in the list of issues that were to count. */
  n: number;
  id: string;
  is_new: boolean;
  came_back: boolean;
}

/** Tells of issues that are new or came back, not of each failed run. */
const noticesOf = (counted: CountedIssue[], issues: ReturnType<typeof issuesOf>): Notice[] =>
  counted.flatMap(({ n, is_new, came_back }) => {
    const issue = issues[n];
    if (!issue?.owner_id || !(is_new || came_back)) return [];
    const { owner_id: ownerId, last_run_id: id, skript_name: name, message, error_code } = issue;
    return [
      { ownerId, event: 'issue.opened', data: { issue: { id, name }, message: message || error_code, came_back } },
    ];
  });

/** Groups failed runs, which are in the order of time, by the issue that counts them. */
function issuesOf(failed: FailedRun[]) {
  const issues = new Map<string, ReturnType<typeof newIssue>>();
  for (const run of failed) {
    const key = failureKey(run.error_code, run.error_stack, new Set(run.files));
    const fingerprint = key.fingerprint.toString('hex');
    const group = [run.owner_id, run.skript_id, fingerprint].join();
    const issue = issues.get(group) ?? newIssue(run, fingerprint);
    issue.runs.push(run.id);
    const { message, frame } = key;
    const { id: last_run_id, bundle_hash: last_version, updated_at: last_seen_at, skript_name } = run;
    issues.set(group, { ...issue, message, frame, last_run_id, last_version, last_seen_at, skript_name });
  }
  return [...issues.values()];
}

const newIssue = (run: FailedRun, fingerprint: string) => ({
  id: uuidv7(),
  owner_id: run.owner_id,
  skript_id: run.skript_id,
  skript_name: run.skript_name,
  error_code: run.error_code,
  fingerprint,
  message: '',
  frame: null as string | null,
  runs: [] as string[],
  first_run_id: run.id,
  last_run_id: run.id,
  first_version: run.bundle_hash,
  last_version: run.bundle_hash,
  first_seen_at: run.updated_at,
  last_seen_at: run.updated_at,
});

/** SQL in COUNT: the value of the failure that is the later one. Backends may count in another order. */
const latest = (column: string): string =>
  `CASE WHEN EXCLUDED.last_seen_at >= i.last_seen_at THEN EXCLUDED.${column} ELSE i.${column} END`;

/** SQL in COUNT: whether a failure happened after the issue was resolved. */
const CAME_BACK = `(i.status = 'resolved' AND EXCLUDED.last_seen_at > i.resolved_at)`;

/** Counts failures in their issues. A failure opens a resolved issue again. */
const COUNT = `
  WITH f AS (
    SELECT f.*, decode(f.fingerprint, 'hex') AS print
    FROM json_to_recordset($1) AS f (n integer, id uuid, owner_id uuid, skript_id uuid, skript_name text, fingerprint text,
      error_code text, message text, frame text, runs integer, first_run_id uuid, last_run_id uuid, first_version text,
      last_version text, first_seen_at timestamptz, last_seen_at timestamptz)
    JOIN users u ON u.id = f.owner_id),
  i AS (
    INSERT INTO issues AS i (id, owner_id, skript_id, skript_name, fingerprint, error_code, message, frame, runs,
      first_run_id, last_run_id, first_version, last_version, first_seen_at, last_seen_at)
    SELECT id, owner_id, skript_id, skript_name, print, error_code, message, frame, runs, first_run_id, last_run_id,
      first_version, last_version, first_seen_at, last_seen_at
    FROM f ORDER BY owner_id, skript_id, print
    ON CONFLICT (owner_id, skript_id, fingerprint) DO UPDATE SET
      runs = i.runs + EXCLUDED.runs, updated_at = now(), last_seen_at = GREATEST(i.last_seen_at, EXCLUDED.last_seen_at),
      skript_name = ${latest('skript_name')}, message = ${latest('message')}, frame = ${latest('frame')},
      last_run_id = ${latest('last_run_id')}, last_version = ${latest('last_version')},
      status = CASE WHEN ${CAME_BACK} THEN 'open' ELSE i.status END,
      reopened_at = CASE WHEN ${CAME_BACK} THEN EXCLUDED.last_seen_at ELSE i.reopened_at END,
      reopened_version = CASE WHEN ${CAME_BACK} THEN EXCLUDED.last_version ELSE i.reopened_version END
    RETURNING i.id, i.owner_id, i.skript_id, i.fingerprint, i.created_at, i.reopened_at)
  SELECT f.n, i.id, i.created_at = now() AS is_new, COALESCE(i.reopened_at = f.last_seen_at, false) AS came_back FROM f JOIN i ON i.owner_id = f.owner_id AND i.skript_id = f.skript_id AND i.fingerprint = f.print`;

const toDto = (row: IssueRow): IssueDto => ({
  id: row.id,
  skript: { id: row.skript_id, name: row.skript_name },
  error_code: row.error_code,
  message: row.message,
  frame: row.frame,
  status: row.status,
  runs: row.runs,
  first_run_id: row.first_run_id,
  last_run_id: row.last_run_id,
  first_version: row.first_version,
  first_version_number: row.first_version_number,
  last_version: row.last_version,
  last_version_number: row.last_version_number,
  first_seen_at: row.first_seen_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  reopened_at: row.reopened_at?.toISOString() ?? null,
  reopened_version: row.reopened_version,
  reopened_version_number: row.reopened_version_number,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
