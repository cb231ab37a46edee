import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { canRunPostgres15, TestPostgres15 } from '../../../test/servers/test-postgres-15.js';
import { templateDatabase } from '../../../test/template-database.js';
import { startTestApp, type TestApp } from '../../../test/test-app.js';
import { makeWorkerAndSkript } from '../../../test/test-worker.js';
import { ArchiveReader } from '../../operation/admin/backup/archive-reader.js';
import { writeBackup } from '../../operation/admin/backup/backup.js';
import { restoreBackup } from '../../operation/admin/backup/restore.js';
import { checkPostgres } from '../../operation/admin/doctor/postgres-checks.js';
import { PartitionsService } from './partitions.service.js';

const SCHEMA = readFileSync(join(__dirname, '../../../test/releases/schema.sql'), 'utf8');

/** Returns a description of the schema that the migrations create on a server. */
async function schemaOn(server: string): Promise<string[]> {
  const database = await templateDatabase(server);
  const client = new Client({
    connectionString: Object.assign(new URL(server), { pathname: `/${database}` }).toString(),
  });
  await client.connect();
  try {
    return (await client.query<{ line: string }>(SCHEMA)).rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}

function hasPgDump(): boolean {
  try {
    execFileSync('pg_dump', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

(canRunPostgres15 ? describe : describe.skip)('on PostgreSQL 15, the oldest that is supported', () => {
  const newest = String(process.env.TRAWL_TEST_POSTGRES_URL);
  let server: TestPostgres15;
  let app: TestApp;
  beforeAll(async () => {
    server = await TestPostgres15.create();
    process.env.TRAWL_TEST_POSTGRES_URL = server.url;
    app = await startTestApp({ settings: { historyDays: 90 } });
  });
  afterAll(async () => {
    await app?.close();
    await server?.stop();
  });

  it('the migrations create the same schema as on the newest', async () => {
    expect(await schemaOn(server.url)).toEqual(await schemaOn(newest));
  });

  it('a run starts, saves its echoes and ends', async () => {
    const fleet = await makeWorkerAndSkript(app, 'oldest');
    const worker = await fleet.connect();
    const { body } = await fleet.start();
    const offer = await worker.offers.next();
    expect(offer.id).toBe(body.id);
    await worker.chunk(offer.id, 1, 1, ['first', 'second']);
    await worker.finish(offer.id, { last_seq: 2, last_chunk: 1 });
    const developer = await app.as('developer');
    const { items } = (await developer('GET', `/joint-api/echoes/${offer.id}/list`)).body;
    expect(items.map(({ msg }: { msg: string }) => msg)).toEqual(['first', 'second']);
    const { body: execution } = await developer('GET', `/joint-api/skript-execution/${offer.id}`);
    expect(execution).toMatchObject({ action: 'end', output: { done: true } });
    const { body: listed } = await developer('GET', '/joint-api/skript-execution/list');
    expect(listed.items).toHaveLength(1);
    worker.close();
  });

  it('a user queries a PostgreSQL database', async () => {
    const developer = await app.as('developer');
    const query = async (sql: string) =>
      (await developer('POST', '/joint-api/postgres/query', { sql, read_only: false })).body;
    await query('CREATE TABLE books (id int PRIMARY KEY, title text)');
    await query(`INSERT INTO books VALUES (1, 'Tide Tables')`);
    expect((await query('SELECT * FROM books')).rows).toEqual([[1, 'Tide Tables']]);
  });

  it('a restore replaces the databases of users only with --overwrite', async () => {
    // `pg_dump` of PostgreSQL 15 is on few machines, but each newer one reads the server, too.
    if (!hasPgDump()) return;
    const folder = mkdtempSync(join(tmpdir(), 'trawl-backup-'));
    const platform = { config: app.config, hasSecret: true, isEmbedded: false, close: async () => undefined };
    const query = async (sql: string) =>
      (await (await app.as('developer'))('POST', '/joint-api/postgres/query', { sql, read_only: false })).body;
    await query('CREATE TABLE kept (id int)');
    await writeBackup(platform, join(folder, 'users.zip'));
    await query('INSERT INTO kept VALUES (1)');
    await app.stop();
    const archive = await ArchiveReader.open(join(folder, 'users.zip'));
    await expect(restoreBackup(platform, archive)).rejects.toThrow('the PostgreSQL of users has 1 of them');
    await restoreBackup(platform, archive, { overwrite: true });
    archive.close();
    rmSync(folder, { recursive: true });
    await app.start();
    expect((await query('SELECT * FROM kept')).rows).toEqual([]);
  });

  it('partitions of runs are created ahead of time, and dropped when they have expired', async () => {
    const partitions = async () =>
      (await app.sql<{ name: string }>(`SELECT relname AS name FROM pg_class WHERE relname ~ '^executions_\\d'`)).map(
        ({ name }) => name,
      );
    const before = await partitions();
    await app.part(PartitionsService).maintain(new Date('2041-02-20T03:00:00Z'));
    const after = await partitions();
    expect(after).toContain('executions_2041_04');
    expect(after.some(name => before.includes(name))).toBe(false);
  });

  it('trawl-admin doctor accepts the version of PostgreSQL', async () => {
    const platform = { config: app.config, hasSecret: true, isEmbedded: false, close: async () => undefined };
    expect((await checkPostgres(platform))[0]).toEqual({
      state: 'ok',
      text: expect.stringMatching(/^PostgreSQL is reachable and has version 15\./),
    });
  });
});
