import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { databaseOf } from '../../../../test/servers/user-postgres.js';
import { startTestApp, type TestApp } from '../../../../test/test-app.js';
import { examine } from '../doctor/doctor.js';
import type { Platform } from '../settings.js';
import { ArchiveReader } from './archive-reader.js';
import { writeBackup } from './backup.js';
import { restoreBackup } from './restore.js';

// Backups of a platform whose accounts have PostgreSQL servers of their own.

let app: TestApp;
const folder = mkdtempSync(join(tmpdir(), 'trawl-user-servers-'));
const platform = (): Platform => ({
  config: app.config,
  hasSecret: true,
  isEmbedded: false,
  close: async () => undefined,
});
const query = async (username: 'admin' | 'developer', sql: string) =>
  (await (await app.as(username))('POST', '/joint-api/postgres/query', { sql, read_only: false })).body;
const restore = async (file: string) => {
  const archive = await ArchiveReader.open(file);
  await restoreBackup(platform(), archive, { overwrite: true }).finally(() => archive.close());
};

/**
 * Stands for a program of PostgreSQL, which this machine may have in an older version only. It connects as that program
 * does, with the address in the environment.
 */
function makeTool(name: string, work: string): void {
  const script = `#!${process.execPath}
    const pg = require(${JSON.stringify(require.resolve('pg'))});
    if (process.argv[2] === '--version') console.log('${name} (PostgreSQL) 18.4');
    else (async () => {
      const database = process.argv.find(arg => arg.startsWith('--dbname='))?.slice(9) ?? process.env.PGDATABASE;
      const client = new pg.Client({ database });
      await client.connect();
      ${work}
      await client.end();
    })();`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
}

beforeAll(async () => {
  makeTool(
    'pg_dump',
    `const { rows } = await client.query('SELECT title FROM public.books');
     process.stdout.write(JSON.stringify(rows.map(({ title }) => title)));`,
  );
  makeTool(
    'pg_restore',
    `let text = '';
     for await (const chunk of process.stdin) text += chunk;
     await client.query('CREATE TABLE public.books AS SELECT jsonb_array_elements_text($1) AS title', [text]);
     // Dumps of an older version of Trawl have indexes that autovacuum would evaluate.
     await client.query('CREATE FUNCTION own(t text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT t $$');
     await client.query('CREATE INDEX ON public.books (own(title))');`,
  );
  process.env.PATH = folder + delimiter + process.env.PATH;
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  app = await startTestApp({ settings: { userPostgresUrl: 'embedded' } });
  chmodSync(app.config.dataDir, 0o711);
  for (const username of ['admin', 'developer'] as const) {
    await query(username, 'CREATE TABLE books (title text)');
    await query(username, `INSERT INTO books VALUES ('of ${username}')`);
  }
});

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const titles = async () =>
  Promise.all((['admin', 'developer'] as const).map(async name => (await query(name, 'SELECT title FROM books')).rows));

it('a backup contains the PostgreSQL servers of all accounts, and a restore brings them back', async () => {
  const file = join(folder, 'users.zip');
  await writeBackup(platform(), file);
  await query('developer', `INSERT INTO books VALUES ('later')`);
  await query('admin', 'DROP TABLE books');
  await app.stop();
  await restore(file);
  await app.start();
  expect(await titles()).toEqual([[['of admin']], [['of developer']]]);
  const options = await query('developer', `SELECT reloptions FROM pg_class WHERE relname = 'books'`);
  expect(options.rows).toEqual([['{autovacuum_enabled=off}']]);
  const servers = readdirSync(join(app.config.dataDir, 'user-postgres')).filter(name => name.startsWith('u_'));
  expect(servers.sort()).toEqual([await databaseOf(app, 'admin'), await databaseOf(app, 'developer')].sort());
});

it('a restore changes no PostgreSQL server of an account that the backup does not contain', async () => {
  const file = join(folder, 'others.zip');
  await writeBackup(platform(), file, { withoutUserPostgres: true });
  await query('developer', `INSERT INTO books VALUES ('later')`);
  await app.stop();
  await restore(file);
  await app.start();
  expect(await titles()).toEqual([[['of admin']], [['of developer'], ['later']]]);
});

it('trawl-admin doctor reports that each account has a PostgreSQL server', async () => {
  expect(existsSync(join(app.config.dataDir, 'user-postgres', 'host.json'))).toBe(true);
  const { findUserPostgres } = await import('@trawl/embedded');
  const config = { ...app.config, userPostgresUrl: findUserPostgres(app.config.dataDir)?.url };
  const findings = await examine({ ...platform(), config });
  expect(findings).toContainEqual({
    state: 'ok',
    text: expect.stringMatching(/^The PostgreSQL of users is reachable, has version 18\.\d+, and a server for each/),
  });
});
