import { isUUID } from 'class-validator';
import type { DataSource } from 'typeorm';

/** The columns with the names of what the audit log tells of. */
const NAMES: Record<string, string> = {
  api_keys: 'name',
  contact_messages: 'subject',
  executions: 'skript_name',
  exporters: 'name',
  imports: 'name',
  issues: 'message',
  input_secrets: 'name',
  inputs: 'name',
  mongo_databases: 'name',
  proxies: 'address',
  proxy_pools: 'name',
  queues: 'name',
  schedules: 'name',
  site_sessions: 'name',
  skript_files: 'name',
  skripts: 'title',
  users: 'username',
  webhook_endpoints: 'name',
  worker_groups: 'name',
  workers: 'name',
};

/** The table of each kind of target. */
const TABLES: Record<string, string> = {
  apiKey: 'api_keys',
  contact_message: 'contact_messages',
  db: 'mongo_databases',
  exporter: 'exporters',
  import: 'imports',
  input: 'inputs',
  inputSecret: 'input_secrets',
  issue: 'issues',
  key: 'api_keys',
  mongoDatabase: 'mongo_databases',
  proxyPool: 'proxy_pools',
  queue: 'queues',
  schedule: 'schedules',
  siteSession: 'site_sessions',
  skript: 'skripts',
  skriptExecution: 'executions',
  skriptFile: 'skript_files',
  user: 'users',
  webhook: 'webhook_endpoints',
  worker: 'workers',
  workerGroup: 'worker_groups',
  worker_group: 'worker_groups',
};

/**
 * The tables of the parts of a nested id; other parts are shown as they are. A part is looked up only where a route has
 * checked it: users choose the ids of their documents, which may be those of somebody else's skripts.
 */
const NESTED: Record<string, (string | string[])[]> = {
  collection: ['mongo_databases'],
  doc: ['mongo_databases'],
  hash: ['skripts'],
  index_name: ['mongo_databases'],
  proxy: ['proxy_pools', 'proxies'],
  // A worker or a worker group that is assigned to a user.
  user: [['workers', 'worker_groups'], 'users'],
};

/** Returns the name in a call's answer about a target of this kind; undefined if it has none. */
export function nameInAnswer(kind: string, answer: object): string | undefined {
  const table = TABLES[kind] ?? '';
  const { skript, [NAMES[table] ?? '']: ofColumn } = answer as Record<string, unknown>;
  // The answer to a start has the name of its skript in an object.
  const name = table === 'executions' ? (skript as { name?: unknown } | undefined)?.name : ofColumn;
  return typeof name === 'string' ? name : undefined;
}

const findIn = (tables: string[]): string =>
  tables
    .map(table => `SELECT '${table}' AS of, id, ${NAMES[table]} AS name FROM ${table} WHERE id = ANY ($1::uuid[])`)
    .join(' UNION ALL ');

interface Target {
  target_kind: string | null;
  target_id: string | null;
}

/** Returns the parts of a target's id, each with the tables that may have it if it is an id of the platform. */
function partsOf({ target_kind: kind, target_id: id }: Target): { part: string; tables: string[] }[] {
  if (kind === null || id === null) return [];
  const parts = id.split('/');
  const tables = parts.length === 1 ? [TABLES[kind]] : (NESTED[kind] ?? []);
  return parts.map((part, index) => ({ part, tables: isUUID(part) ? [tables[index] ?? []].flat() : [] }));
}

/**
 * Finds the present names of targets of audit entries.
 * @returns a name for each target; null if it is deleted or has no name.
 */
export async function namesOf(db: Pick<DataSource, 'query'>, targets: Target[]): Promise<(string | null)[]> {
  const all = targets.map(partsOf);
  const searched = all.flat().filter(({ tables }) => tables.length > 0);
  if (searched.length === 0) return targets.map(() => null);
  const tables = [...new Set(searched.flatMap(part => part.tables))].sort();
  const ids = [...new Set(searched.map(({ part }) => part))];
  const rows = await db.query<{ of: string; id: string; name: string }[]>(findIn(tables), [ids]);
  const known = new Map(rows.map(({ of, id, name }) => [`${of} ${id}`, name]));
  return all.map(parts => {
    if (!parts.some(({ tables }) => tables.length > 0)) return null;
    const names = parts.map(({ part, tables }) =>
      tables.length > 0 ? tables.map(table => known.get(`${table} ${part}`)).find(name => name !== undefined) : part,
    );
    return names.includes(undefined) ? null : names.join(' / ');
  });
}
