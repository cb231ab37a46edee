import type { DataSource } from 'typeorm';

/** Number of rows that one statement reads. A run may have an output of 512 KiB. */
const PAGE = 20;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** The tables of the platform with one file each in the archive. Columns with secrets are not among these. */
export const TABLES = {
  'api-keys': {
    columns: 'id, name, scope, expires_at, last_used_at, revoked_at, created_at',
    from: 'api_keys WHERE user_id = $1',
  },
  'input-secrets': {
    columns: 's.id, s.name, k.title AS skript, s.created_at, s.updated_at',
    from: 'input_secrets s JOIN skripts k ON k.id = s.skript_id WHERE k.owner_id = $1',
    id: 's.id',
  },
  runs: {
    columns: `id, skript_id, skript_name, skript_category, worker_name, input_name, input_value, input_secret_name,
      bundle_hash, action, error_code, error_stack, output, attempt, retry_of, schedule_id, created_at, started_at, updated_at`,
    from: 'executions WHERE owner_id = $1',
  },
  schedules: {
    columns: `id, name, cron_span, time_zone, job_name, worker_id, skript_id, input_id, input_secret_id, overlap, catch_up,
      retries, retry_delay_ms, enabled, created_at, updated_at`,
    from: 'schedules WHERE owner_id = $1',
  },
  webhooks: {
    columns: 'id, name, url, events, skript_id, enabled, created_at, updated_at',
    from: 'webhook_endpoints WHERE owner_id = $1',
  },
  audit: {
    columns: 'id, created_at, username, key_name, action, target_kind, target_id, target_name, fields, status, ip',
    from: 'audit_log WHERE user_id = $1',
  },
} as const satisfies Record<string, { columns: string; from: string; id?: string }>;

/** Reads an account's rows of a table as lines of JSON, a few at a time. */
export async function* linesOf(
  db: Pick<DataSource, 'query'>,
  table: keyof typeof TABLES,
  ownerId: string,
): AsyncGenerator<Uint8Array> {
  const { columns, from, id = 'id' }: { columns: string; from: string; id?: string } = TABLES[table];
  let after = FIRST;
  for (;;) {
    const rows = await db.query<{ id: string; line: string }[]>(
      `SELECT id, row_to_json(t)::text AS line
       FROM (SELECT ${columns} FROM ${from} AND ${id} > $2 ORDER BY ${id} LIMIT ${PAGE}) t ORDER BY id`,
      [ownerId, after],
    );
    if (rows.length > 0) yield Buffer.from(rows.map(({ line }) => `${line}\n`).join(''));
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? after;
  }
}
