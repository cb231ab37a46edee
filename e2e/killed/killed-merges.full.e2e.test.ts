import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, placeDataDir, startEmbedded } from '@trawl/embedded';
import { Client } from 'pg';
import { Child } from '../harness/child.js';
import { onServer } from '../harness/platform.js';
import { type Api, PlatformClient } from '../harness/platform-client.js';
import { freePort } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';

const ROWS = 20_000;
/** Another backend takes the merge of a killed one after this time. */
const LEASE_MS = 6_000;
/** Attempts that store rows again take long on a busy machine. */
const PUSH_MS = 300_000;
const client = new PlatformClient();
const database = `trawl_e2e_${Date.now().toString(36)}`;
const temporary = temporaryFolder('trawl-killed-merges-');

let postgresUrl: string;
let stopDatabases: () => Promise<void>;
let backend: Child;
let worker: WorkerProcess | undefined;
let api: Api;
let dbId: string;
let skriptId: string;
let fileId: string;

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
  backend = new Child('backend/dist/main.js', {
    TRAWL_DATA_DIR: dataDir,
    TRAWL_LEASE_MS: String(LEASE_MS),
    POSTGRES_URL: postgresUrl,
    MONGODB_URI: embedded.mongodbUri,
    USER_POSTGRES_URL: embedded.postgresUrl,
    PORT: String(port),
  });
  await startBackend();
  api = await client.as('developer');
  skriptId = (await api('POST', '/joint-api/skripts/addnew', { title: 'Merged' })).body.id;
  const file = { skript_id: skriptId, name: 'main.js', content: '' };
  fileId = (await api('POST', '/joint-api/skript-files/addnew', file)).body.id;
  dbId = (await api('GET', '/joint-api/mongo-databases/list')).body.items[0].id;
});

afterAll(async () => {
  await worker?.close();
  await backend?.kill('SIGTERM');
  await stopDatabases?.();
  rmSync(temporary, { recursive: true, force: true });
});

const startBackend = () => backend.start(async () => (await fetch(`${client.url}/health/ready`)).ok);

async function sql(text: string, values: unknown[]): Promise<Record<string, any>[]> {
  const connection = new Client({ connectionString: postgresUrl });
  await connection.connect();
  try {
    return (await connection.query(text, values)).rows;
  } finally {
    await connection.end();
  }
}

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

async function killWorker(): Promise<void> {
  await worker?.kill('SIGKILL');
  await worker?.start();
}

/** Number of the latest run. */
let run = 0;
const collection = (kind: 'dataset' | 'items' | 'changes') => `/joint-api/mongo/${dbId}/${kind}_${skriptId}`;

/** Every hundredth price is another in each run. */
const priceOf = (n: number, of: number) => (n % 100 === 0 ? -of : n);
/** The first run finds all items. Each later one misses other ones. */
const isMissing = (n: number, of: number) => of > 1 && n % 100 === of;

/** Stores the rows of the next run, and what a good verdict on it writes. */
async function endRun(): Promise<string> {
  run += 1;
  const time = Date.now().toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(run).padStart(12, '0')}`;
  const own = { _run: id, _first: id, _attempt: 1, _at: { $date: new Date().toISOString() } };
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    n,
    price: priceOf(n, run),
    _key: JSON.stringify({ n }),
    ...own,
  }));
  const found = rows.filter(({ n }) => !isMissing(n, run));
  while (found.length > 0) {
    const { status } = await api('POST', `${collection('dataset')}/addnew-many`, { documents: found.splice(0, 1_000) });
    expect(status).toBe(201);
  }
  await sql(
    `INSERT INTO run_merges (execution_id, skript_id, first_id, input_key, state) VALUES ($1, $2, $1, '', 'due')`,
    [id, skriptId],
  );
  await sql(
    `INSERT INTO jobs (kind, lane, params) VALUES ('items_merge', $1, json_build_object('skript_id', $1::text))`,
    [skriptId],
  );
  return id;
}

/**
 * Code of a skript that pushes the rows of a run. Its first attempt stops after half of them, the second after all, until the
 * test kills their worker.
 */
const pushing = (of: number) => `
const { dataset, kv } = require('@trawl/storage');
const name = 'attempt ${of}';
const priceOf = ${priceOf};
const isMissing = ${isMissing};
module.exports = async () => {
  const attempt = ((await kv.get(name)) ?? 0) + 1;
  await kv.set(name, attempt);
  const rows = Array.from({ length: ${ROWS} }, (_, n) => ({ n, price: priceOf(n, ${of}) })).filter(({ n }) => !isMissing(n, ${of}));
  const found = attempt === 1 ? rows.slice(0, ${ROWS / 2}) : rows;
  for (let from = 0; from < found.length; from += 1_000) await dataset.push(found.slice(from, from + 1_000), { key: 'n' });
  if (attempt <= 2) for (;;) await new Promise(resolve => setTimeout(resolve, 1_000));
};
`;

/**
 * Runs the skript on a worker, which is killed while an attempt pushes, when another has pushed all rows and not ended, and
 * before the verdict on the last one. Returns the id of the last attempt.
 */
async function endRunOfKilledWorker(): Promise<string> {
  run += 1;
  worker ??= await WorkerProcess.start(
    await client.as('admin'),
    { name: 'local', public: true },
    { TRAWL_URL: client.url },
  );
  await api('PUT', `/joint-api/skript-files/${fileId}`, { content: pushing(run) });
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0&retries=2&retry_delay_ms=0';
  const { id } = (await api('POST', start, { worker_id: worker.id, skript_id: skriptId })).body;
  const all = run === 1 ? ROWS : ROWS - ROWS / 100;
  for (const pushed of [ROWS / 2, all]) {
    const count = [{ $match: { _first: id } }, { $count: 'rows' }];
    const isPushed = async () => (await group('dataset', count))?.[0]?.rows === pushed;
    await until(isPushed, `${pushed} rows to be pushed`, PUSH_MS);
    await killWorker();
  }
  const merge = 'SELECT execution_id FROM run_merges WHERE first_id = $1';
  const ended = await until(async () => (await sql(merge, [id]))[0], 'the last attempt to end', PUSH_MS);
  await worker.kill('SIGKILL');
  // The test does not wait until it is online: the merge would be over.
  await worker.launch();
  expect(ended.execution_id).not.toBe(id);
  return ended.execution_id;
}

const mergeOf = async (id: string) => (await sql('SELECT * FROM run_merges WHERE execution_id = $1', [id]))[0] ?? {};

async function group(kind: 'dataset' | 'items' | 'changes', pipeline: object[]): Promise<Record<string, any>[]> {
  return (await api('POST', `${collection(kind)}/aggregate`, { pipeline, format: 'relaxed' })).body.items;
}

/** Waits until the merge of a run has changed items, but not all. */
async function untilMerging(id: string): Promise<void> {
  const count = [{ $match: { _run: id } }, { $count: 'items' }];
  await until(async () => ((await group('items', count))?.[0]?.items ?? 0) > 0, 'the merge to have changed items');
  expect((await mergeOf(id)).state).toBe('due');
}

/** Waits until a run is merged, and checks items and changes against its rows. */
async function expectMerged(id: string): Promise<void> {
  await until(async () => {
    // PostgreSQL may be starting again.
    const { state } = await mergeOf(id).catch(() => ({ state: 'unknown' }));
    return state === 'merged';
  }, 'the run to be merged');
  const part = ROWS / 100;
  const expected =
    run === 1
      ? { added: ROWS, changed: 0, gone: 0, back: 0 }
      : { added: 0, changed: part, gone: part, back: run === 2 ? 0 : part };
  const { added, changed, gone, back } = await mergeOf(id);
  expect({ added, changed, gone, back }).toEqual(expected);
  const kinds = await group('changes', [{ $match: { _run: id } }, { $group: { _id: '$kind', count: { $sum: 1 } } }]);
  const counts = Object.fromEntries(kinds.map(({ _id, count }) => [_id, count]));
  expect({ added: 0, changed: 0, gone: 0, back: 0, ...counts }).toEqual(expected);

  const ofItems = { _id: null, items: { $sum: 1 }, keys: { $addToSet: '$n' }, prices: { $sum: '$price' } };
  const [present] = await group('items', [
    { $match: { _gone_at: null } },
    { $group: ofItems },
    { $set: { keys: { $size: '$keys' } } },
  ]);
  const found = Array.from({ length: ROWS }, (_, n) => n).filter(n => !isMissing(n, run));
  const prices = found.reduce((sum, n) => sum + priceOf(n, run), 0);
  expect(present).toEqual({ _id: null, items: found.length, keys: found.length, prices });
}

it.each([
  ['the worker, also while it pushes for the first time and before the verdict,', endRunOfKilledWorker, killWorker],
  ['the backend', endRun, killBackend],
  ['MongoDB', endRun, killMongodb],
  ['PostgreSQL', endRun, killPostgres],
  ['the backend again', endRun, killBackend],
  ['the worker, also while it pushes and before the verdict,', endRunOfKilledWorker, killWorker],
])(
  'killing %s while a run is merged loses no change and stores none twice',
  async (_, end, kill) => {
    const id = await end();
    await untilMerging(id);
    await kill();
    await expectMerged(id);
  },
  900_000,
);
