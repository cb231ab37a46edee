import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose, { type mongo } from 'mongoose';
import { Client } from 'pg';
import { startTestApp, type TestApp } from '../../../../test/test-app.js';
import { makeWorkerAndSkript, TestWorker } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { MIGRATIONS } from '../../../platform/database/database.module.js';
import { examine } from '../doctor/doctor.js';
import type { Platform } from '../settings.js';
import { ArchiveReader } from './archive-reader.js';
import { fileAt, writeBackup } from './backup.js';
import { restoreBackup } from './restore.js';

const { Long, Decimal128, Double } = mongoose.mongo;

let app: TestApp;
let mongoClient: mongo.MongoClient;
let server: Client;
let folder: string;
const printed: string[] = [];

beforeAll(async () => {
  app = await startTestApp();
  mongoClient = await mongoose.mongo.MongoClient.connect(app.config.mongodbUri);
  server = new Client({ connectionString: String(process.env.TRAWL_TEST_POSTGRES_URL) });
  await server.connect();
  folder = mkdtempSync(join(tmpdir(), 'trawl-backup-'));
  jest.spyOn(process.stdout, 'write').mockImplementation(text => printed.push(String(text)) > 0);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
  await mongoClient.close();
  await server.end();
  rmSync(folder, { recursive: true });
});

const platform = (): Platform => ({
  config: app.config,
  hasSecret: true,
  isEmbedded: false,
  close: async () => undefined,
});

async function backUp(name: string): Promise<string> {
  const file = join(folder, name);
  await writeBackup(platform(), file, { withoutUserPostgres: true });
  return file;
}

async function restoreFrom(file: string, options: { overwrite?: true } = {}): Promise<void> {
  const archive = await ArchiveReader.open(file);
  try {
    await restoreBackup(platform(), archive, options);
  } finally {
    archive.close();
  }
}

async function emptyDatabase(): Promise<void> {
  const name = new URL(app.config.postgresUrl).pathname.slice(1);
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
}

/** All rows of all tables, so that a test can compare them. Tables that a start changes are left out. */
async function contents(): Promise<Record<string, string>> {
  const tables = await app.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relpersistence = 'p' AND relname NOT IN ('migrations', 'postgres_databases')`,
  );
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await app.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    all[name] = rows.map(({ row }) => row).join('\n');
  }
  return all;
}

it('a restore brings all rows and documents back to a platform that lost everything, and secrets still work', async () => {
  const developer = await app.as('developer');
  const fleet = await makeWorkerAndSkript(app, 'backup');
  const secret = { skript_id: fleet.skriptId, name: 'inputSecret.json', val: { token: 's3cret' } };
  const secretId = (await developer('POST', '/joint-api/input-secrets/addnew', secret)).body.id;
  // A run of an earlier month, whose partition the schema alone does not have.
  await app.sql(
    `CREATE TABLE schedule_fires_2020_01 PARTITION OF schedule_fires FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')`,
  );
  const [database] = await app.sql<{ db_name: string }>(
    `SELECT db_name FROM mongo_databases d JOIN users u ON u.id = d.owner_id WHERE u.username = 'developer'`,
  );
  const books = mongoClient.db(String(database?.db_name)).collection<any>('books');
  await books.createIndex({ title: 1 }, { unique: true, name: 'by_title' });
  const documents = [
    { _id: 1, title: 'Ghost Nets', price: new Double(12), sold: Long.fromString('9007199254740993') },
    { _id: 2, title: 'Tide Tables', price: Decimal128.fromString('9.90'), tags: ['a', { b: null }] },
  ];
  await books.insertMany(documents);
  await app.sql(
    `INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, object_key, object_sha256, object_bytes)
     VALUES (uuidv7(), 1, 1, 1, 'echoes/x', '', 2000000)`,
  );
  await app.stop();
  const before = await contents();
  const file = await backUp('everything.zip');
  expect(printed.join('')).toContain('It does not contain 2.0 MB of saved echoes');
  expect(statSync(file).mode & 0o777).toBe(0o600);

  await emptyDatabase();
  await mongoClient.db(String(database?.db_name)).dropDatabase();
  await restoreFrom(file);
  expect(printed.join('')).toContain('Some saved echoes are not in the backup');
  expect(printed.join('')).toContain('You can start the platform.');
  expect(await contents()).toEqual(before);
  expect(await app.sql(`SELECT 1 FROM pg_class WHERE relname = 'schedule_fires_2020_01'`)).toHaveLength(1);
  const restored = await books.find({}, { promoteValues: false }).sort({ _id: 1 }).toArray();
  expect(mongoose.mongo.BSON.EJSON.stringify(restored, { relaxed: false })).toBe(
    mongoose.mongo.BSON.EJSON.stringify(documents, { relaxed: false }),
  );
  await expect(books.insertOne({ title: 'Ghost Nets' })).rejects.toThrow('E11000');

  await app.start();
  const worker = await fleet.connect();
  await fleet.start({ inputSecret_id: secretId });
  const offer = await worker.offers.next();
  expect(offer.input_secret).toBe('{"token":"s3cret"}');
  worker.close();
});

describe('PostgreSQL databases of users in a backup', () => {
  /** Major versions. The `pg_dump` of this machine may be older than the server of the tests. */
  const majorOf = (text: string) => Number.parseInt(/\d+/.exec(text)?.[0] ?? '0', 10);
  const dumpVersion = majorOf(String(spawnSync('pg_dump', ['--version'], { encoding: 'utf8' }).stdout));
  const isUsable = async () =>
    dumpVersion >= majorOf((await server.query('SHOW server_version')).rows[0].server_version);
  const query = async (sql: string) => {
    const developer = await app.as('developer');
    return (await developer('POST', '/joint-api/postgres/query', { sql, read_only: false })).body;
  };

  it('are restored with functions that constraints call; without pg_dump, the backup fails and names it', async () => {
    await query('CREATE TABLE prices (id int PRIMARY KEY, price numeric)');
    await query('INSERT INTO prices VALUES (1, 9.90)');
    await query(`CREATE FUNCTION caller(p numeric) RETURNS boolean LANGUAGE sql IMMUTABLE AS
      $$ SELECT NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) $$`);
    await query('ALTER TABLE prices ADD CHECK (caller(price))');
    const file = join(folder, 'users.zip');
    if (!(await isUsable())) {
      await expect(writeBackup(platform(), file)).rejects.toThrow(
        /need pg_dump \d+ or later on the PATH; .*leave these databases out with --without-user-postgres/,
      );
      expect(existsSync(file)).toBe(false);
      return;
    }
    await writeBackup(platform(), file);
    await app.stop();
    const [row] = await app.sql<{ name: string }>('SELECT name FROM postgres_databases');
    await server.query(`DROP DATABASE ${row?.name} WITH (FORCE)`);
    await server.query(`DROP ROLE ${row?.name}`);
    await restoreFrom(file, { overwrite: true });
    await app.start();
    expect((await query('SELECT * FROM prices')).rows).toEqual([[1, '9.90']]);
    expect((await query('CREATE TABLE more (id int)')).error_code).toBeUndefined();
  });
});

it('a restore keeps the users’ PostgreSQL databases that the backup leaves out', async () => {
  const developer = await app.as('developer');
  const create = { sql: 'CREATE TABLE IF NOT EXISTS left_out (id int)', read_only: false };
  await developer('POST', '/joint-api/postgres/query', create);
  const file = await backUp('without-users.zip');
  await app.stop();
  await restoreFrom(file, { overwrite: true });
  await app.start();
  const { items } = (await (await app.as('developer'))('GET', '/joint-api/postgres-tables/list')).body;
  expect(items.map(({ name }: { name: string }) => name)).toContain('left_out');
});

it('a backup needs an existing folder, and its file is named by the time if only a folder is given', () => {
  expect(fileAt(folder)).toMatch(/trawl-\d{4}-\d\d-\d\dT\d{6}Z\.zip$/);
  expect(() => fileAt(join(folder, 'missing'))).toThrow('is no folder. Create it first');
  expect(() => fileAt(join(folder, 'missing/new.zip'))).toThrow('missing does not exist. Create it first.');
});

it('a backup that is interrupted with Ctrl-C leaves no file', async () => {
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const earlier = process.listeners('SIGINT');
  const work = backUp('interrupted.zip').catch((error: Error) => error);
  const part = join(folder, 'interrupted.zip.part');
  await until(
    async () => existsSync(part),
    isThere => isThere,
  );
  const listeners = () => process.listeners('SIGINT').filter(listener => !earlier.includes(listener));
  listeners()[0]?.('SIGINT');
  expect(exit).toHaveBeenCalledWith(130);
  expect(existsSync(part)).toBe(false);
  // Without an exit, the backup continues, and misses its file.
  expect(await work).toBeInstanceOf(Error);
  expect([existsSync(join(folder, 'interrupted.zip')), listeners()]).toEqual([false, []]);
  exit.mockRestore();
});

it('a restore deletes nothing without --overwrite, nor while a backend runs', async () => {
  const file = await backUp('full-target.zip');
  expect(await app.sql('SELECT 1 FROM last_backup')).toHaveLength(1);
  await expect(restoreFrom(file)).rejects.toThrow('The target is not empty: the database of POSTGRES_URL has');
  await expect(restoreFrom(file, { overwrite: true })).rejects.toThrow('A backend uses the database.');
  await app.stop();
  const before = await contents();
  await restoreFrom(file, { overwrite: true });
  const after = await contents();
  for (const volatile of ['audit_log', 'last_backup', 'worker_leases', 'worker_samples']) delete before[volatile];
  expect(after).toMatchObject(before);
  await app.start();
});

it('a restore refuses an incomplete or damaged backup before it deletes anything', async () => {
  const file = await backUp('cut.zip');
  truncateSync(file, statSync(file).size - 100);
  await expect(restoreFrom(file)).rejects.toThrow('is no complete backup');
  const text = join(folder, 'text.zip');
  writeFileSync(text, 'this is no archive');
  await expect(restoreFrom(text)).rejects.toThrow('is no complete backup');
});

it('after an interrupted restore, backend, backup and doctor refuse the data and say to restore again', async () => {
  const file = await backUp('interrupted.zip');
  await app.stop();
  const archive = await ArchiveReader.open(file);
  const [last] = archive.manifest.postgres.tables.slice(-1);
  Object.assign(last ?? {}, { rows: -1 });
  await expect(restoreBackup(platform(), archive, { overwrite: true })).rejects.toThrow('in the backup');
  archive.close();
  const advice = 'Run it again: trawl-admin restore FILE --overwrite';
  await expect(app.start()).rejects.toThrow(advice);
  await expect(backUp('incomplete.zip')).rejects.toThrow(advice);
  expect((await examine(platform())).filter(({ state }) => state === 'bad').map(({ text }) => text)).toContainEqual(
    expect.stringContaining(advice),
  );
  await restoreFrom(file, { overwrite: true });
  await app.start();
});

it('a restore refuses a backup with a newer schema, and names the unknown migration', async () => {
  const file = await backUp('newer.zip');
  const archive = await ArchiveReader.open(file);
  archive.manifest.postgres.migrations.push('OfTheFuture1999999999999');
  await expect(restoreBackup(platform(), archive)).rejects.toThrow('OfTheFuture1999999999999');
  archive.close();
});

it('a backup with an older schema is restored unchanged, and the next start runs the later migrations', async () => {
  const file = await backUp('older.zip');
  await app.stop();
  await emptyDatabase();
  const archive = await ArchiveReader.open(file);
  // The rows of this version may not fit into an older schema.
  Object.assign(archive.manifest.postgres, { tables: [], sequences: [] });
  archive.manifest.postgres.migrations = MIGRATIONS.slice(0, -1).map(({ name }) => name);
  await restoreBackup(platform(), archive, { overwrite: true });
  archive.close();
  const count = async () => (await app.sql('SELECT 1 FROM migrations')).length;
  expect(await count()).toBe(MIGRATIONS.length - 1);
  await app.start();
  expect(await count()).toBe(MIGRATIONS.length);
});

describe('the data of a release, kept by `npm run release:data`', () => {
  const RELEASES = join(__dirname, '../../../../test/releases');
  const releases = readdirSync(RELEASES).filter(name => /^\d/.test(name));
  const read = (release: string, file: string) => readFileSync(join(RELEASES, release, file), 'utf8');
  const schema = async () =>
    (await app.sql<{ line: string }>(readFileSync(join(RELEASES, 'schema.sql'), 'utf8'))).map(
      ({ line }) => `${line}\n`,
    );

  it.each(releases)(
    '%s is restored with the schema of that release, and its account and runs work after the upgrade',
    async release => {
      const kept = JSON.parse(read(release, 'release.json'));
      await app.stop();
      await emptyDatabase();
      Object.assign(app.config, { secret: kept.secret, historyDays: 36_500 });
      await restoreFrom(join(RELEASES, release, 'backup.zip'), { overwrite: true });
      expect((await schema()).join('')).toBe(read(release, 'schema.txt'));

      await app.start();
      expect(await app.sql('SELECT 1 FROM migrations')).toHaveLength(MIGRATIONS.length);
      const { body: session } = await app.anonymous('POST', '/panel/login', kept.account);
      const developer = app.bearer(session.jwtToken);
      const get = async (path: string, api = developer) => (await api('GET', `/joint-api/${path}`)).body;
      expect(await get(`skript-execution/${kept.execution_id}`, app.bearer(kept.api_key))).toMatchObject({
        action: 'end',
      });
      expect((await get(`echoes/${kept.execution_id}/list`)).items).toMatchObject(
        kept.echoes.map((msg: string) => ({ msg })),
      );
      const documents = await get(`mongo/${kept.db_id}/${kept.collection}/list`);
      expect(documents.items).toMatchObject([kept.document]);
      for (const kind of ['schedule', 'webhook', 'exporter'])
        expect(await get(`${kind}s/${kept[`${kind}_id`]}`)).toMatchObject({ id: kept[`${kind}_id`] });

      const worker = await TestWorker.connect(app, kept.worker.key);
      const { skript_id, input_id, inputSecret_id } = kept;
      const start = { worker_id: kept.worker.id, skript_id, input_id, inputSecret_id };
      const run = developer('POST', '/joint-api/execute-skript/single-worker/start', start);
      const offer = await worker.offers.next();
      expect(JSON.parse(String(offer.input_secret))).toEqual(kept.input_secret);
      await worker.finish(offer.id);
      expect((await run).body).toMatchObject({ id: offer.id, action: 'end' });
      worker.close();
      for (const { db_name } of await app.sql<{ db_name: string }>('SELECT db_name FROM mongo_databases'))
        await mongoClient.db(db_name).dropDatabase();
    },
  );
});
