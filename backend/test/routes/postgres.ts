import { randomUUID } from 'node:crypto';
import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const query = (world: World, sql: string) =>
  world.owner.created('/joint-api/postgres/query', { sql, read_only: false });

/** Creates a table whose rows are too large for one response. */
async function largeTable(world: World): Promise<string> {
  const name = unique();
  await query(world, `CREATE TABLE ${name} AS SELECT repeat('x', 1000000) || n AS text FROM generate_series(1, 5) n`);
  return name;
}

/** Creates a view that cannot be read. */
export async function brokenView(world: World): Promise<string> {
  const name = unique();
  await query(world, `CREATE VIEW ${name} AS SELECT 1 / (random() * 0)::int AS n`);
  return name;
}

export const postgresRoutes: Routes = {
  listPostgresTables: { access: 'own' },
  getPostgresTable: { access: 'owned', errors: { not_found: () => ({ path: { table: unique() } }) } },
  listPostgresRows: {
    access: 'owned',
    errors: {
      not_found: () => ({ path: { table: unique() } }),
      storage_rejected: async world => ({ path: { table: await brokenView(world) } }),
      payload_too_large: async world => ({ path: { table: await largeTable(world) } }),
    },
  },
  groupPostgresRows: {
    access: 'owned',
    call: () => ({ query: { by: 'title', of: 'id' } }),
    errors: {
      not_found: () => ({ path: { table: unique() }, query: { by: 'title' } }),
      storage_rejected: async world => ({ path: { table: await brokenView(world) }, query: { by: 'n' } }),
      payload_too_large: async world => ({ path: { table: await largeTable(world) }, query: { by: 'text' } }),
    },
  },
  runPostgresQuery: {
    access: 'own',
    scope: 'read',
    call: () => ({ body: { sql: 'SELECT $1::int AS n', params: [1] } }),
    errors: {
      forbidden: async ({ owner }) => {
        const { key } = await owner.created('/joint-api/keys/addnew', { name: unique(), scope: 'read' });
        const headers = { authorization: `Bearer ${key}` };
        return { as: 'anonymous', headers, body: { sql: 'SELECT 1', read_only: false } };
      },
      storage_rejected: () => ({ body: { sql: 'SELECT missing' } }),
      storage_duplicate_key: async world => {
        const table = unique();
        await query(world, `CREATE TABLE ${table} AS SELECT 1 AS n`);
        await query(world, `CREATE UNIQUE INDEX ON ${table} (n)`);
        return { body: { sql: `INSERT INTO ${table} VALUES (1)`, read_only: false } };
      },
    },
  },
  cancelPostgresQuery: { access: 'own', scope: 'read', call: () => ({ path: { query_id: randomUUID() } }) },
};
