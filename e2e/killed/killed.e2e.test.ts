import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { onServer, Platform } from '../harness/platform.js';
import type { Api } from '../harness/platform-client.js';
import { startTrawl } from '../harness/trawl-process.js';
import { until } from '../harness/until.js';

/** The lease is short, so that the platform soon knows that a killed worker is lost. */
const LEASE_MS = 5_000;

let platform: Platform;
beforeAll(async () => {
  const backendEnv = {
    TRAWL_LEASE_MS: String(LEASE_MS),
    TRAWL_OUTGOING_ALLOW: '127.0.0.1',
    USER_POSTGRES_URL: 'embedded',
  };
  platform = await Platform.start({ backendEnv });
});
afterAll(() => platform?.close());

/**
 * Code of a skript that echoes a line, stores a document and pushes a row and a product every 20 ms. Its process gets
 * `title` as its title. With `table`, it is also in a transaction of PostgreSQL all the time.
 */
const TALKER = `
const { echo } = require('@trawl/echo');
const { dataset, mongo, postgres } = require('@trawl/storage');
const holdOpen = table => new Promise((inside, failed) => {
  postgres.transaction(async transaction => {
    await transaction.query('INSERT INTO ' + table + ' VALUES (1)');
    inside();
    for (;;) await transaction.query('SELECT pg_sleep(0.05)');
  }).catch(failed);
});
module.exports = async ({ lines, collection, title, table }) => {
  process.title = title;
  if (table) {
    await postgres.query('CREATE TABLE ' + table + ' (n int)');
    await holdOpen(table);
  }
  for (let line = 1; line <= lines; line++) {
    echo.log('line ' + line);
    dataset.push({ line });
    dataset.push({ product: line % 10, seen: line }, { key: 'product' });
    await mongo.collection(collection).insertOne({ line });
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return { lines };
};
`;

/**
 * Code of a skript that inserts two rows in each of its transactions, and repeats those that PostgreSQL rolled back. Two of
 * them do not end the first time, until the test has killed a process inside them.
 */
const TRANSACTIONS = `
const { echo } = require('@trawl/echo');
const { postgres } = require('@trawl/storage');
module.exports = async ({ rounds }) => {
  await postgres.query('CREATE TABLE halves (n int, half text, PRIMARY KEY (n, half))');
  const long = new Set([5, 20]);
  let lost = 0;
  for (let n = 1; n <= rounds; ) {
    try {
      await postgres.transaction(async transaction => {
        await transaction.query('INSERT INTO halves VALUES ($1, $2)', [n, 'left']);
        if (long.delete(n)) {
          echo.log('inside ' + n);
          for (;;) await transaction.query('SELECT pg_sleep(0.05)');
        }
        await transaction.query('INSERT INTO halves VALUES ($1, $2)', [n, 'right']);
      });
      n += 1;
    } catch (error) {
      if (error.code !== 'storage_transaction_lost') throw error;
      lost += 1;
    }
  }
  const { postgres: refused } = await postgres.query('SELECT nothing').catch(error => error);
  return { lost, refused };
};
`;

/** Code of a skript that crawls 81 products. Its first attempt stops after 30 products. */
const CRAWLER = `
const { echo } = require('@trawl/echo');
const { dataset, kv } = require('@trawl/storage');
module.exports = async () => {
  const attempt = ((await kv.get('attempt')) ?? 0) + 1;
  await kv.set('attempt', attempt);
  for (let sku = 1; sku <= 81; sku++) {
    await dataset.push({ sku, attempt }, { key: 'sku' });
    if (attempt === 1 && sku === 30) {
      echo.log('30 products');
      for (let again = 1; ; again++) await dataset.push({ sku: again % 30 + 1, attempt }, { key: 'sku' });
    }
  }
};
`;

const echoed = (id: string, text: string) =>
  until(async () => (await platform.echoes(id)).some(echo => echo.msg === text), `the run to echo "${text}"`);

/** Finds a run's process by its title, because the process has another id inside the sandbox. */
const isRunning = (title: string): boolean =>
  readdirSync('/proc').some(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(title);
    } catch {
      return false; // the process has just ended
    }
  });

it('when a worker is killed, its run ends with `worker_lost`, and its process and transaction end too', async () => {
  const skript = await platform.skript('talker for a killed worker', { 'main.js': TALKER });
  const title = `talker ${randomUUID()}`;
  const id = await platform.begin(skript, {
    lines: 100_000,
    collection: 'killed_worker',
    title,
    table: 'killed_worker',
  });
  await echoed(id, 'line 5');
  expect(isRunning(title)).toBe(true);

  await platform.worker.kill('SIGKILL');
  const execution = await platform.ended(id);

  expect(execution).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  await until(async () => !isRunning(title), 'the run’s process to be gone');
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/postgres/query', {
    sql: `SELECT count(*)::int, (SELECT count(*)::int FROM pg_stat_activity WHERE state LIKE 'idle in%') FROM killed_worker`,
  });
  expect(body.rows).toEqual([[0, 0]]);

  // The worker has kept the echoes on its disk, and sends them after this start.
  await platform.worker.start();
  await until(
    async () => (await platform.echoes(id)).some(echo => echo.msg === 'line 5'),
    'the echoes of the lost run',
  );
  const again = await platform.startRun(
    await platform.skript('after the kill', { 'main.js': 'module.exports = async () => 1' }),
  );
  expect(again).toMatchObject({ status: 200, body: { action: 'end', output: 1 } });
});

it('a crawl with keys whose worker is killed stores each product once, and its retry replaces them', async () => {
  const settings = { retries: 1, retry_delay_ms: 0 };
  const skript = await platform.skript('crawl of a killed worker', { 'main.js': CRAWLER }, settings);
  const first = await platform.begin(skript);
  await echoed(first, '30 products');

  await platform.worker.kill('SIGKILL');
  expect(await platform.ended(first)).toMatchObject({ action: 'error', error_code: 'worker_lost', rows: 30 });
  // The latest document comes first.
  const products = async () => (await platform.documents(`dataset_${skript}`)).reverse();
  expect((await products()).map(({ sku }) => sku)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  await platform.worker.start();
  const developer = await platform.as('developer');
  const { body } = await developer('GET', `/joint-api/skript-execution/list?retry_of=${first}`);
  const [retry] = body.items;

  expect(await platform.ended(retry.id)).toMatchObject({ action: 'end', rows: 81 });
  expect((await products()).map(({ sku, attempt, _run, _first }) => [sku, attempt, _run, _first])).toEqual(
    Array.from({ length: 81 }, (_, index) => [index + 1, 2, retry.id, first]),
  );
});

describe('when the backend is killed', () => {
  // All that these tests need is in progress when it happens, because each start of a backend takes seconds of processor
  // time.
  const lines = 300;
  const rounds = 25;
  const documents = 1_000;
  const importedRows = 5_000;
  /** Requests that the webhook got. */
  const received: { id: unknown; isSigned: boolean }[] = [];
  let developer: Api;
  let transactions: string;
  let webhook: { id: string; secret: string };
  let server: Server;
  let delivery: string;
  let talkerSkript: string;
  let talker: string;
  let follower: { code: number | null; printed: string } | null = null;
  let exportId: string;
  let importId: string;

  const filesOfExport = () => readdirSync(join(platform.dataDir, 'exports')).filter(name => name.startsWith(exportId));

  beforeAll(async () => {
    developer = await platform.as('developer');
    await onServer(platform.databaseUrl, GATE);
    const gate = new Client({ connectionString: platform.databaseUrl });
    await gate.connect();
    await gate.query('SELECT pg_advisory_lock(1)');
    transactions = await platform.begin(await platform.skript('transactions', { 'main.js': TRANSACTIONS }), { rounds });
    await echoed(transactions, 'inside 5');
    await Promise.all([beginTalker(), beginDelivery(), beginExport()]);
    await beginImport(gate);

    await platform.backend.kill('SIGKILL');
    await gate.end();
    expect(filesOfExport().every(name => name.endsWith('.part'))).toBe(true);
    await platform.startBackend();
  });
  afterAll(() => server?.close().closeAllConnections());

  const databaseId = async () => (await developer('GET', '/joint-api/mongo-databases/list')).body.items[0].id;

  /** An export or import that is about to end waits here, so that the backend is killed in it. */
  const GATE = `
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$;
    CREATE TRIGGER gate BEFORE UPDATE ON jobs FOR EACH ROW WHEN (NEW.kind = 'export' AND NEW.state = 'done')
      EXECUTE FUNCTION wait_at_gate();
    CREATE TRIGGER gate BEFORE UPDATE ON imports FOR EACH ROW WHEN (OLD.moved_to > 0) EXECUTE FUNCTION wait_at_gate()`;

  async function beginImport(database: Client): Promise<void> {
    const db_id = await databaseId();
    // The rows of an import into an existing collection are moved in slices.
    await developer('POST', `/joint-api/mongo/${db_id}/imported/addnew`, { n: -1 });
    const response = await fetch(`${platform.url}/joint-api/imports/upload?file_name=rows.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await platform.signIn('developer')}`, 'content-type': 'text/csv' },
      body: `n\n${Array.from({ length: importedRows }, (_, n) => n).join('\n')}\n`,
    });
    importId = ((await response.json()) as { id: string }).id;
    await developer('POST', `/joint-api/imports/${importId}/start`, { db_id, collection: 'imported' });
    await until(
      async () => (await database.query('SELECT 1 FROM imports WHERE moved_to > 0')).rows.length > 0,
      'the import to have moved some of its rows',
    );
  }

  async function beginExport(): Promise<void> {
    const db_id = await databaseId();
    await developer('POST', `/joint-api/mongo/${db_id}/exported/addnew-many`, {
      documents: Array.from({ length: documents }, (_, n) => ({ n, text: 'x'.repeat(500) })),
    });
    const body = { db_id, collection: 'exported', format: 'xlsx' };
    exportId = (await developer('POST', '/joint-api/exports/addnew', body)).body.id;
    await until(async () => filesOfExport().some(name => name.endsWith('.part')), 'the export to write its file');
  }

  /** The first delivery gets no answer, so that the backend is killed in it. */
  async function beginDelivery(): Promise<void> {
    server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const isSigned =
        new Webhook(webhook.secret).verify(body, request.headers as Record<string, string>) !== undefined;
      received.push({ id: request.headers['webhook-id'], isSigned });
      if (received.length > 1) response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const body = { name: 'receiver', url, events: ['run.failed'] };
    webhook = (await developer('POST', '/joint-api/webhooks/addnew', body)).body;
    delivery = (await developer('POST', `/joint-api/webhooks/${webhook.id}/test`)).body.id;
    await until(async () => received.length === 1, 'the first attempt');
  }

  /** Starts a run, and `trawl logs -f`, which prints its echoes. */
  async function beginTalker(): Promise<void> {
    talkerSkript = await platform.skript('talker for a killed backend', { 'main.js': TALKER });
    const env = { TRAWL_URL: platform.url, TRAWL_KEY: await platform.signIn('developer') };
    talker = await platform.begin(talkerSkript, { lines, collection: 'killed_backend', title: 'talker' });
    const program = startTrawl(['logs', talker, '-f'], { cwd: tmpdir(), env });
    let printed = '';
    program.stdout.setEncoding('utf8').on('data', chunk => {
      printed += chunk;
    });
    program.once('close', code => {
      follower = { code, printed };
    });
    const count = () => printed.split('\n').length - 1;
    const saved = await until(async () => count(), 'the follower to print the echoes so far');
    // A further line can only have come while it is connected.
    await until(async () => count() > saved, 'the follower to print a line as it comes');
  }

  it('and then the users’ PostgreSQL server, each transaction of a run takes effect once or not at all', async () => {
    await echoed(transactions, 'inside 20');
    const folder = join(platform.dataDir, 'user-postgres');
    for (const account of readdirSync(folder).filter(name => name.startsWith('u_'))) {
      const pidFile = join(folder, account, 'postmaster.pid');
      if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL');
    }

    const execution = await platform.ended(transactions);

    expect(execution).toMatchObject({ action: 'end', output: { refused: { sqlState: '42703', position: 8 } } });
    expect(execution.output.lost).toBeGreaterThanOrEqual(2);
    // Only the committed ones count. The platform does not know the tables of `query`.
    const none = { database: null, updated: 0, deleted: 0 };
    expect(execution.writes).toEqual([{ ...none, store: 'postgresql', name: null, inserted: 2 * rounds }]);
    const { body } = await developer('POST', '/joint-api/postgres/query', {
      sql: `SELECT count(*)::int, count(DISTINCT n)::int, (SELECT count(*)::int FROM pg_stat_activity WHERE state LIKE 'idle in%')
              FROM halves`,
    });
    expect(body.rows).toEqual([[2 * rounds, rounds, 0]]);
  });

  it('a run continues, its output, echoes and rows are saved, and `trawl logs -f` shows each echo once', async () => {
    const execution = await platform.ended(talker);

    expect(execution).toMatchObject({ action: 'end', output: { lines }, rows: lines + 10 });
    const written = (execution.writes as { name: string; inserted: number; updated: number }[]).map(write => [
      write.name,
      write.inserted + write.updated,
    ]);
    expect(written.sort()).toEqual([
      [`dataset_${talkerSkript}`, 2 * lines],
      ['killed_backend', lines],
    ]);
    const echoes = await until(async () => {
      const all = await platform.echoes(talker);
      return all.length === execution.last_seq && all;
    }, 'every echo to be saved');
    expect(echoes.map(echo => echo.seq)).toEqual(Array.from({ length: lines }, (_, index) => index + 1));
    const texts = Array.from({ length: lines }, (_, index) => `line ${index + 1}`);
    expect(echoes.map(echo => echo.msg)).toEqual(texts);
    const { code, printed } = await until(async () => follower, 'the follower to end');
    expect([
      code,
      printed
        .trimEnd()
        .split('\n')
        .map(line => line.slice('10:30:00+01:00 '.length)),
    ]).toEqual([0, texts]);
    for (const collection of ['killed_backend', `dataset_${talkerSkript}`]) {
      const rows = (await platform.documents(collection)).filter(({ _key }) => _key === undefined);
      expect(rows.map(row => row.line).sort((a, b) => a - b)).toEqual(
        Array.from({ length: lines }, (_, index) => index + 1),
      );
    }
  });

  it('rows with a key are stored once, each as the run pushed it last', async () => {
    await platform.ended(talker);
    const rows = (await platform.documents(`dataset_${talkerSkript}`)).filter(({ _key }) => _key !== undefined);
    const expected = Array.from({ length: 10 }, (_, product) => [product, lines - ((lines - product) % 10)]);
    expect(rows.map(({ product, seen }) => [product, seen]).sort(([a], [b]) => a - b)).toEqual(expected);
  });

  it('during an export, the export starts again, and no partial file is left', async () => {
    const path = `/joint-api/exports/${exportId}`;
    await until(async () => (await developer('GET', path)).body.state === 'done', 'the export to be done');
    const { body } = await developer('GET', path);
    expect(body).toMatchObject({ rows: documents });
    expect(filesOfExport()).toEqual([exportId]);
    expect(statSync(join(platform.dataDir, 'exports', exportId)).size).toBe(body.bytes);
  });

  it('during an import, the import ends, and each row is in the collection once', async () => {
    const path = `/joint-api/imports/${importId}`;
    const isOver = (state: string) => !['queued', 'running'].includes(state);
    await until(async () => isOver((await developer('GET', path)).body.state), 'the import to end');
    expect((await developer('GET', path)).body).toMatchObject({ state: 'done', inserted: importedRows, updated: 0 });
    const numbers = (await platform.documents('imported')).map(({ n }) => n).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: importedRows + 1 }, (_, index) => index - 1));
  });

  it('during a webhook delivery, the receiver gets the delivery again with the same id', async () => {
    // A minute passes before a delivery in progress counts as abandoned.
    await onServer(platform.databaseUrl, 'UPDATE webhook_deliveries SET next_attempt_at = now()');
    const path = `/joint-api/webhooks/${webhook.id}/deliveries/${delivery}`;
    await until(async () => (await developer('GET', path)).body.state === 'delivered', 'the second attempt');
    expect((await developer('GET', path)).body).toMatchObject({ attempts: 2, response_status: 204 });
    const attempt = { id: delivery, isSigned: true };
    expect(received).toEqual([attempt, attempt]);
  });
});

it('a backend ends when the supervisor process that reads its log is killed', () => platform.backend.abandon());
