import { Client } from 'pg';
import { UserServerService } from '../../src/data/postgres/server/user-server.service.js';
import type { TestApp } from '../test-app.js';

/** Name of the database and the role of an account. */
export async function databaseOf(app: TestApp, username: string): Promise<string> {
  const [row] = await app.sql<{ name: string }>(
    'SELECT name FROM postgres_databases WHERE owner_id = (SELECT id FROM users WHERE username = $1)',
    [username],
  );
  return String(row?.name);
}

/** Executes `work` with a connection of the superuser to a database of the users' server. */
export async function asSuperuser<T>(app: TestApp, database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const { host, port, user, password } = await app.part(UserServerService).address();
  const settings = { host: String(host), port: Number(port), user, password: String(password), database };
  const client = new Client(settings);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Leaves a database as an older version of Trawl has left it. */
export const removeWalls = (app: TestApp, database: string): Promise<void> =>
  asSuperuser(app, database, async client => {
    for (const wall of ['trawl_refuses_extensions', 'trawl_refuses_code_in_autovacuum']) {
      await client.query(`ALTER EXTENSION plpgsql DROP EVENT TRIGGER ${wall};
        ALTER EXTENSION plpgsql DROP FUNCTION pg_catalog.${wall}();
        DROP EVENT TRIGGER ${wall};
        DROP FUNCTION pg_catalog.${wall}()`);
    }
    await client.query(`GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint), xpath(text, xml) TO PUBLIC`);
  });
