import { Injectable } from '@nestjs/common';
import { LIMITS, type SessionValue, sessionEnd } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { entityFields } from '../../../platform/common/entity.js';
import { type List, parseSort } from '../../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../../platform/quotas/quotas.service.js';
import type { SiteSessionDto, SiteSessionsQuery } from './site-sessions.dto.js';

/** SQL: the runs of a session that are live. */
const LIVE_RUNS =
  'ARRAY(SELECT r FROM unnest(s.runs) r WHERE EXISTS (SELECT FROM live_runs l WHERE l.execution_id = r))';

/** SQL: whether nobody else than `holder` may change the session now. A run that has ended holds no lease. */
const isFreeFor = (holder: string): string => `(s.lease_holder IS NULL OR s.lease_holder = ${holder}
  OR s.lease_until < now() OR NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = s.lease_run))`;

const WITHOUT_LEASE = 'lease_run = NULL, lease_holder = NULL, lease_until = NULL';

export interface OpenedSession {
  id: string;
  name: string;
  version: string | null;
  /** Missing if the caller has this version. */
  value_sealed: Buffer | null;
  taken: boolean;
  is_first_use: boolean;
  username: string;
}

/** A value to save: its encrypted text, and what lists show of it. */
export interface SealedValue {
  value: SessionValue;
  sealed: Buffer;
  bytes: number;
}

/** SQL: sets what lists show of a value, from the parameters of `shownOf`. */
const SHOWN = `bytes = $3, origins = $4, cookies = $5, user_agent = $6, expires_at = $7, saved_at = now(), updated_at = now()`;

const shownOf = ({ bytes, value }: SealedValue): unknown[] => [
  bytes,
  value.origins.map(({ origin }) => origin),
  value.cookies.length,
  value.userAgent,
  sessionEnd(value),
];

export const SORTABLE = ['name', 'last_used_at', 'saved_at', 'expires_at', 'created_at', 'updated_at', 'id'];

/** SQL: the columns of a list, with the live runs that use the session. */
const COLUMNS = `s.id, s.name, s.origins, s.cookies, s.bytes, s.user_agent, s.saved_at, s.expires_at, s.last_used_at,
  s.created_at, s.updated_at, (SELECT COALESCE(json_agg(r), '[]') FROM (
    SELECT l.execution_id, e.skript_name, l.execution_id = s.lease_run AND s.lease_until > now() AS logs_in
    FROM live_runs l JOIN executions e ON e.id = l.execution_id
    WHERE l.execution_id = ANY(s.runs) ORDER BY l.execution_id LIMIT 20) r) AS runs`;

type Times = 'saved_at' | 'expires_at' | 'last_used_at';
type SiteSessionRow = Omit<SiteSessionDto, Times | 'created_at' | 'updated_at'> &
  Record<Times, Date | null> & { created_at: Date; updated_at: Date };

interface Replacement {
  version: string | null;
  newVersion: string;
  holder: string | null;
}

/** Statements on `site_sessions`. */
@Injectable()
export class SiteSessionsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
  ) {}

  /** Returns the id of a session of the account. */
  async idOf(ownerId: string, name: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM site_sessions WHERE owner_id = $1 AND name = $2',
      [ownerId, name],
    );
    return row?.id;
  }

  /**
   * Returns the id of a session, which is added without a value if the account has none of this name.
   * @throws {ApiError} 429 `quota_exceeded`.
   */
  async add(ownerId: string, name: string): Promise<string> {
    const found = await this.idOf(ownerId, name);
    if (found) return found;
    await this.dataSource.transaction(async manager => {
      await this.quotas.roomForInput(manager, ownerId);
      await manager.query(
        'INSERT INTO site_sessions (id, owner_id, name) VALUES ($1, $2, $3) ON CONFLICT (owner_id, name) DO NOTHING',
        [uuidv7(), ownerId, name],
      );
    });
    return (await this.idOf(ownerId, name)) as string;
  }

  /**
   * Reads a session for a live run, and notes that the run uses it. With a holder, takes the lease if it is free, or renews
   * it. Returns undefined if there is no such session.
   */
  async open(
    ownerId: string,
    name: string,
    { run, version, holder }: { run: string; version: string | null; holder: string | null },
  ): Promise<OpenedSession | undefined> {
    const takes = `$4::uuid IS NOT NULL AND ${isFreeFor('$4')}`;
    const [[row]] = await this.dataSource.query<[OpenedSession[], number]>(
      `UPDATE site_sessions s SET last_used_at = now(),
         runs = CASE WHEN $3 = ANY(s.runs) THEN s.runs ELSE ${LIVE_RUNS} || $3::uuid END,
         lease_run = CASE WHEN ${takes} THEN $3 ELSE s.lease_run END,
         lease_until = CASE WHEN ${takes} THEN now() + interval '${LIMITS.sessionLeaseMs} ms' ELSE s.lease_until END,
         lease_holder = CASE WHEN ${takes} THEN $4 ELSE s.lease_holder END
       FROM (SELECT id, runs FROM site_sessions WHERE owner_id = $1 AND name = $2 FOR UPDATE) before
       WHERE s.id = before.id
       RETURNING s.id, s.name, s.version, COALESCE(s.lease_holder = $4, false) AS taken,
         CASE WHEN s.version IS DISTINCT FROM $5 THEN s.value_sealed END AS value_sealed,
         NOT $3 = ANY(before.runs) AS is_first_use, (SELECT username FROM users u WHERE u.id = s.owner_id) AS username`,
      [ownerId, name, run, holder, version],
    );
    return row;
  }

  /**
   * Replaces the value of a session if it still has the version, or has the new one already. Then gives the lease of the
   * holder back.
   * @returns whether the value was replaced: not if another run has saved a value, or logs in.
   */
  async save(id: string, value: SealedValue, { version, newVersion, holder }: Replacement): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE site_sessions s SET value_sealed = $2, ${SHOWN}, version = $8,
         lease_run = CASE WHEN ${isFreeFor('$10')} THEN NULL ELSE s.lease_run END,
         lease_until = CASE WHEN ${isFreeFor('$10')} THEN NULL ELSE s.lease_until END,
         lease_holder = CASE WHEN ${isFreeFor('$10')} THEN NULL ELSE s.lease_holder END
       WHERE s.id = $1 AND (s.version = $8 OR (s.version IS NOT DISTINCT FROM $9 AND ${isFreeFor('$10')}))
       RETURNING 1`,
      [id, value.sealed, ...shownOf(value), newVersion, version, holder],
    );
    return rows.length > 0;
  }

  /** Replaces the value of a session, whatever it has. */
  async replace(id: string, value: SealedValue, newVersion: string): Promise<void> {
    await this.dataSource.query(`UPDATE site_sessions SET value_sealed = $2, ${SHOWN}, version = $8 WHERE id = $1`, [
      id,
      value.sealed,
      ...shownOf(value),
      newVersion,
    ]);
  }

  page(ownerId: string, query: SiteSessionsQuery): Promise<List<SiteSessionDto>> {
    const { name_contains } = query;
    const where = `s.owner_id = $1${name_contains ? ' AND s.name ILIKE $2' : ''}`;
    const values = [ownerId, ...(name_contains ? [containsPattern(name_contains)] : [])];
    const list = { dataSource: this.dataSource, table: 'site_sessions', alias: 's', columns: COLUMNS, joins: '' };
    return listSqlPage({ ...list, where, values }, query, parseSort(query.sort, SORTABLE, 'name'), toDto);
  }

  async find(ownerId: string, id: string): Promise<SiteSessionDto | null> {
    const [row] = await this.dataSource.query<SiteSessionRow[]>(
      `SELECT ${COLUMNS} FROM site_sessions s WHERE s.owner_id = $1 AND s.id = $2`,
      [ownerId, id],
    );
    return row ? toDto(row) : null;
  }

  /** Returns the encrypted value; null if the session has none, undefined if the account has no such session. */
  async sealedValue(ownerId: string, id: string): Promise<Buffer | null | undefined> {
    const [row] = await this.dataSource.query<{ value_sealed: Buffer | null }[]>(
      'SELECT value_sealed FROM site_sessions WHERE owner_id = $1 AND id = $2',
      [ownerId, id],
    );
    return row?.value_sealed;
  }

  async delete(ownerId: string, id: string): Promise<boolean> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM site_sessions WHERE owner_id = $1 AND id = $2',
      [ownerId, id],
    );
    return deleted > 0;
  }

  /** Deletes the sessions that have expired, or that were not used for long. A live run may still save its own. */
  async deleteOver(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM site_sessions s
       WHERE (s.expires_at < now()
         OR GREATEST(s.last_used_at, s.saved_at, s.created_at) < now() - make_interval(days => $1))
       AND NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = ANY(s.runs))`,
      [LIMITS.sessionUnusedDays],
    );
  }

  async release(ownerId: string, name: string, holder: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE site_sessions SET ${WITHOUT_LEASE} WHERE owner_id = $1 AND name = $2 AND lease_holder = $3`,
      [ownerId, name, holder],
    );
  }
}

const toDto = (row: SiteSessionRow): SiteSessionDto => ({
  ...row,
  ...entityFields(row),
  saved_at: row.saved_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  runs: row.runs.map(run => ({ ...run, logs_in: run.logs_in === true })),
});
