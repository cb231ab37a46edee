import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, placeDataDir, startEmbedded } from '@trawl/embedded';
import { Client } from 'pg';
import { Child } from '../harness/child.js';
import { onServer } from '../harness/platform.js';
import { type Api, PlatformClient } from '../harness/platform-client.js';
import { freePort } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';

const ROWS = 20_000;
/** Each attempt of a job must renew its lease within five sixths of this time, also on a busy machine. */
const LEASE_MS = 6_000;
const client = new PlatformClient();
const database = `trawl_e2e_${Date.now().toString(36)}`;
const temporary = temporaryFolder('trawl-killed-jobs-');

let postgresUrl: string;
let stopDatabases: () => Promise<void>;
let backend: Child;
let settings: Record<string, string>;
let api: Api;
let dbId: string;

beforeAll(async () => {
  // These tests kill the databases, so they have some of their own.
  const { dataDir } = placeDataDir(temporary);
  const embedded = await startEmbedded({ dataDir, cacheDir: cacheDir(), onProgress: () => {} });
  stopDatabases = () => embedded.stop();
  await onServer(embedded.postgresUrl, `CREATE DATABASE ${database}`);
  postgresUrl = Object.assign(new URL(embedded.postgresUrl), { pathname: `/${database}` }).toString();
  const port = await freePort();
  client.url = `http://127.0.0.1:${port}`;
  client.dataDir = dataDir;
  settings = {
    TRAWL_DATA_DIR: dataDir,
    TRAWL_LEASE_MS: String(LEASE_MS),
    POSTGRES_URL: postgresUrl,
    MONGODB_URI: embedded.mongodbUri,
    USER_POSTGRES_URL: embedded.postgresUrl,
  };
  backend = new Child('backend/dist/main.js', { ...settings, PORT: String(port) });
  await startBackend();
  await onServer(postgresUrl, GATES);
  api = await client.as('developer');
  dbId = (await api('GET', '/joint-api/mongo-databases/list')).body.items[0].id;
});

afterAll(async () => {
  await backend?.kill('SIGTERM');
  await stopDatabases?.();
  rmSync(temporary, { recursive: true, force: true });
});

const startBackend = () => backend.start(async () => (await fetch(`${client.url}/health/ready`)).ok);

async function killBackend(): Promise<void> {
  await backend.kill('SIGKILL');
  await startBackend();
}

/** Kills the host of MongoDB's engine. Its supervisor starts it again. */
async function killMongodb(): Promise<void> {
  const hosts = readdirSync('/proc').filter(pid => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\d+$/.test(pid) && command.includes('mongodb') && command.includes(temporary);
    } catch {
      return false; // the process has just ended
    }
  });
  for (const pid of hosts) process.kill(Number(pid), 'SIGKILL');
  expect(hosts).toHaveLength(1);
}

/** Kills the platform's PostgreSQL. Its supervisor starts it again. */
async function killPostgres(): Promise<void> {
  const pidFile = readFileSync(join(client.dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
}

async function upload(): Promise<string> {
  const csv = `n,text\n${Array.from({ length: ROWS }, (_, n) => `${n},${'x'.repeat(80)}`).join('\n')}\n`;
  const response = await fetch(`${client.url}/joint-api/imports/upload?file_name=rows.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await client.signIn('developer')}`, 'content-type': 'text/csv' },
    body: csv,
  });
  return ((await response.json()) as { id: string }).id;
}

/** A backend that has just been killed does not answer. */
const get = async (id: string): Promise<any> =>
  (await api('GET', `/joint-api/imports/${id}`).catch(() => ({ body: {} }))).body;

const isOver = ({ state }: { state?: string }) => state !== undefined && !['queued', 'running'].includes(state);

/** How far the import is, as PostgreSQL knows it. */
async function phase(id: string): Promise<'queued' | 'reading' | 'moving' | 'over'> {
  const connection = new Client({ connectionString: postgresUrl });
  await connection.connect();
  const { rows } = await connection.query(
    `SELECT i.staging IS NOT NULL AS reading, i.moved_to > 0 AS moving, j.ended_at IS NOT NULL AS over
     FROM imports i JOIN jobs j ON j.id = i.job_id WHERE i.id = $1`,
    [id],
  );
  await connection.end();
  return rows[0].over ? 'over' : rows[0].moving ? 'moving' : rows[0].reading ? 'reading' : 'queued';
}

/** An import stops at a gate while a test holds the lock of its number: 1 before it moves rows, 2 while it does, 3 at its end. */
const GATES = `
  CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.moved_to > 0 THEN
      PERFORM pg_advisory_xact_lock_shared(2);
    ELSIF OLD.move IS NULL AND NEW.move IS NOT NULL THEN
      PERFORM pg_advisory_xact_lock_shared(1);
    ELSIF OLD.move IS NOT NULL AND NEW.move IS NULL THEN
      PERFORM pg_advisory_xact_lock_shared(3);
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER gates BEFORE UPDATE ON imports FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`;

/** Closes the gate behind a phase. The result opens it again. */
async function closeGate(when: 'reading' | 'moving'): Promise<() => Promise<void>> {
  const connection = new Client({ connectionString: postgresUrl });
  await connection.connect();
  await connection.query('SELECT pg_advisory_lock($1)', [when === 'reading' ? 1 : 2]);
  return () => connection.end();
}

const reaches = (id: string, wanted: 'reading' | 'moving') =>
  until(async () => {
    const now = await phase(id);
    expect(now).not.toBe('over');
    return now === wanted;
  }, `the import to be ${wanted}`);

const KILLS = [
  ['the backend while it moves rows', 'moving', killBackend],
  ['PostgreSQL while the import reads', 'reading', killPostgres],
  ['MongoDB while rows are moved', 'moving', killMongodb],
  ['the backend while it reads', 'reading', killBackend],
  ['PostgreSQL while rows are moved', 'moving', killPostgres],
  ['MongoDB while the import reads', 'reading', killMongodb],
] as const;

it.each(KILLS)('killing %s leaves each row of the import once and no staging data', async (what, when, kill) => {
  const collection = `c ${what}`;
  await api('POST', `/joint-api/mongo/${dbId}/${encodeURIComponent(collection)}/addnew`, { n: -1 });
  const id = await upload();
  const openGate = await closeGate(when);
  try {
    const started = await api('POST', `/joint-api/imports/${id}/start`, { db_id: dbId, collection });
    expect(started.status).toBe(202);
    await reaches(id, when);
  } finally {
    // The import works while it is hit.
    await openGate();
  }
  await kill();
  const done = await until(async () => {
    const found = await get(id);
    return isOver(found) && found;
  }, `the import to end`);
  expect(done).toMatchObject({ state: 'done', inserted: ROWS, updated: 0, bad_rows: 0, error_message: null });
  const at = `/joint-api/mongo/${dbId}/${encodeURIComponent(collection)}/aggregate`;
  const counts = { $group: { _id: null, documents: { $sum: 1 }, sum: { $sum: '$n' }, least: { $min: '$n' } } };
  const distinct = [{ $group: { _id: '$n' } }, { $count: 'count' }];
  expect((await api('POST', at, { pipeline: [counts] })).body.items).toEqual([
    { _id: null, documents: ROWS + 1, sum: (ROWS * (ROWS - 1)) / 2 - 1, least: -1 },
  ]);
  expect((await api('POST', at, { pipeline: distinct })).body.items).toEqual([{ count: ROWS + 1 }]);
  // A late write of the killed attempt may have created its collection again. The platform looks for such every minute.
  await until(
    async () => {
      const { items } = (await api('GET', `/joint-api/mongo-collections/${dbId}/list`)).body;
      return !items.some(({ name }: { name: string }) => name.startsWith('importing-'));
    },
    'no staging collection to be left',
    150_000,
  );
});

it.each([
  ['before the transaction is committed', 1],
  ['after the transaction is committed', 3],
])('killing the backend %s leaves each row of an import into a table once', async (_, gate) => {
  const table = `killed_at_gate_${gate}`;
  const id = await upload();
  const connection = new Client({ connectionString: postgresUrl });
  await connection.connect();
  await connection.query('SELECT pg_advisory_lock($1)', [gate]);
  expect((await api('POST', `/joint-api/imports/${id}/start`, { table })).status).toBe(202);
  await until(async () => {
    const { rows } = await connection.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
      [gate],
    );
    return rows.length > 0;
  }, 'the import to be at the gate');
  await backend.kill('SIGKILL');
  await connection.end();
  await startBackend();
  const done = await until(async () => {
    const found = await get(id);
    return isOver(found) && found;
  }, 'the import to end');
  expect(done).toMatchObject({ state: 'done', inserted: ROWS, bad_rows: 0, error_message: null });
  const sql = `SELECT count(*)::int AS rows, count(DISTINCT n)::int AS numbers FROM ${table}`;
  expect((await api('POST', '/joint-api/postgres/query', { sql })).body.rows).toEqual([[ROWS, ROWS]]);
});

describe('an export', () => {
  const DOCUMENTS = 25_000;
  const collection = 'exported';
  beforeAll(async () => {
    const documents = Array.from({ length: 1_000 }, (_, n) => ({ n, text: 'x'.repeat(500) }));
    for (let batch = 0; batch < DOCUMENTS / documents.length; batch += 1) {
      await api('POST', `/joint-api/mongo/${dbId}/${collection}/addnew-many`, { documents });
    }
  });

  const folder = () => join(client.dataDir, 'exports');
  const filesOf = (id: string) => readdirSync(folder()).filter(name => name.startsWith(id));
  const start = async (): Promise<string> =>
    (await api('POST', '/joint-api/exports/addnew', { db_id: dbId, collection, format: 'xlsx' })).body.id;
  const ended = (id: string) =>
    until(async () => {
      const { body } = await api('GET', `/joint-api/exports/${id}`).catch(() => ({ body: {} }));
      return isOver(body) && body;
    }, 'the export to end');
  const expectWhole = (id: string, export_: { state: string; rows: number; bytes: number }) => {
    expect(export_).toMatchObject({ state: 'done', rows: DOCUMENTS });
    expect(filesOf(id)).toEqual([id]);
    expect(statSync(join(folder(), id)).size).toBe(export_.bytes);
  };

  it('is complete, or failed and left no file, after MongoDB was killed during the export', async () => {
    const id = await start();
    await until(async () => filesOf(id).length > 0, 'the export to write its file');
    await killMongodb();
    const export_ = await ended(id);
    if (export_.state === 'done') return expectWhole(id, export_);
    expect(export_).toMatchObject({ state: 'failed', error_code: 'storage_unavailable' });
    expect(filesOf(id)).toEqual([]);
    const again = await until(async () => {
      const next = await start();
      const result = await ended(next);
      return result.state === 'done' && { next, result };
    }, 'an export to succeed');
    expectWhole(again.next, again.result);
  });

  it('is complete after PostgreSQL was killed during the export', async () => {
    const id = await start();
    await until(async () => filesOf(id).length > 0, 'the export to write its file');
    await killPostgres();
    expectWhole(id, await ended(id));
  });
});

it('another backend takes over the job of a killed backend, once, when its lease has expired', async () => {
  const connection = new Client({ connectionString: postgresUrl });
  await connection.connect();
  // A job stops at the gate when its work is done, before its row is deleted.
  await connection.query(`
    CREATE TABLE ended_attempts (attempt integer);
    CREATE FUNCTION wait_at_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(4);
      INSERT INTO ended_attempts VALUES (OLD.attempt);
      RETURN OLD;
    END $$;
    CREATE TRIGGER ends BEFORE DELETE ON jobs FOR EACH ROW WHEN (OLD.kind = 'mongo_drop') EXECUTE FUNCTION wait_at_end();
    SELECT pg_advisory_lock(4)`);
  const { body } = await api('POST', '/joint-api/mongo-databases/addnew', { name: 'doomed' });
  await api('DELETE', `/joint-api/mongo-databases/${body.id}`);
  await connection.query(`UPDATE jobs SET run_at = now() WHERE kind = 'mongo_drop'`);
  const atGate = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4 AND NOT granted`;
  await until(async () => (await connection.query(atGate)).rows.length > 0, 'the job to be at the gate');

  const port = await freePort();
  const other = new Child('backend/dist/main.js', { ...settings, PORT: String(port) });
  try {
    await other.start(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
    await backend.kill('SIGKILL');
    await connection.query(`SELECT pg_terminate_backend(pid) FROM (${atGate}) waiting`);
    await connection.query('SELECT pg_advisory_unlock(4)');
    await until(
      async () => (await connection.query(`SELECT 1 FROM jobs WHERE kind = 'mongo_drop'`)).rows.length === 0,
      'the other backend to end the job',
    );
    expect((await connection.query('SELECT attempt FROM ended_attempts')).rows).toEqual([{ attempt: 2 }]);
  } finally {
    await connection.end();
    await other.kill('SIGTERM');
    await startBackend();
  }
});
