import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import pg from 'pg';
import { cacheDir, type EmbeddedDatabases, placeDataDir, startEmbedded } from '../src/index.js';

// No test in this file measures time, because the machine may be busy.

let dataDir: string;
let temporary: string;
let running: EmbeddedDatabases | undefined;

function useNewFolder(): void {
  temporary = mkdtempSync(join(tmpdir(), 'trawl-embedded-'));
  dataDir = placeDataDir(join(temporary, 'data')).dataDir;
}

async function stopAndRemove(): Promise<void> {
  await running?.stop();
  running = undefined;
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(temporary, { recursive: true, force: true });
}

async function start(): Promise<EmbeddedDatabases> {
  running = await startEmbedded({ dataDir, cacheDir: cacheDir(), durable: false, onProgress: () => {} });
  return running;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  // An engine that is stopped in the middle also rejects the query.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function withBooks<T>(uri: string, use: (books: import('mongodb').Collection) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(uri);
  try {
    return await use(client.db('shop').collection('books'));
  } finally {
    await client.close();
  }
}

/** Lists all processes, of any user, whose command line contains this folder. */
function processesOf(folder: string): string[] {
  const { stdout } = spawnSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter(line => line.includes(folder));
}

async function untilNoProcessOf(folder: string): Promise<void> {
  while (processesOf(folder).length > 0) await delay(100);
}

describe('embedded databases that run', () => {
  let started: EmbeddedDatabases;
  /** Why one of the starts in `beforeAll` failed. */
  let refusals: string[];

  beforeAll(async () => {
    useNewFolder();
    const options = { dataDir, cacheDir: cacheDir(), durable: false, onProgress: () => {} };
    const starts = await Promise.allSettled([startEmbedded(options), startEmbedded(options)]);
    refusals = starts.flatMap(start => (start.status === 'rejected' ? [start.reason.message] : []));
    running = starts.find(start => start.status === 'fulfilled')?.value;
    if (!running) throw new Error(`Neither start got the folder: ${refusals.join('; ')}`);
    started = running;
  });
  afterAll(stopAndRemove);

  test('belong to one of two concurrent starts on a new folder; the other start is refused', async () => {
    expect(refusals).toEqual([
      expect.stringMatching(
        /^The folder .* is in use by another Trawl \(process \d+\)\. Stop that one.*TRAWL_DATA_DIR.*$/,
      ),
    ]);
    expect(await query(started.postgresUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await withBooks(started.mongodbUri, books => books.countDocuments())).toBe(0);
  });

  test('hide their data folders and password from other users', () => {
    const modes = ['postgres', 'mongodb', 'run', 'logs', 'postgres.password'].map(
      name => statSync(join(dataDir, name)).mode & 0o777,
    );
    expect(modes.map(mode => mode.toString(8))).toEqual(['700', '700', '700', '700', '600']);
    expect(statSync(dataDir).mode & 0o066).toBe(0);
    expect(started.postgresUrl).toContain(readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim());
  });

  test('include a PostgreSQL that listens on the loopback address only and asks for the password', async () => {
    const { postgresUrl } = started;
    expect(await query(postgresUrl, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    const wrong = new URL(postgresUrl);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  test('keep running when a second start on the same folder is refused', async () => {
    const { postgresUrl, mongodbUri } = started;
    await expect(
      startEmbedded({ dataDir, cacheDir: cacheDir(), durable: false, onProgress: () => {} }),
    ).rejects.toThrow(/in use by another Trawl.*TRAWL_DATA_DIR/);
    expect(await query(postgresUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await withBooks(mongodbUri, books => books.countDocuments())).toBe(0);
  });

  test('restart at the same address after their host process is killed', async () => {
    const { postgresUrl, mongodbUri } = started;
    for (const line of processesOf(dataDir).filter(line => line.includes('-host.js'))) {
      process.kill(Number(line.trim().split(' ')[0]), 'SIGKILL');
    }
    const answers = async () => {
      try {
        await query(postgresUrl, 'SELECT 1');
        await withBooks(mongodbUri, books => books.countDocuments());
        return true;
      } catch {
        return false;
      }
    };
    while (processesOf(dataDir).filter(line => line.includes('-host.js')).length < 2 || !(await answers()))
      await delay(200);
  });
});

describe('embedded databases in a new folder', () => {
  beforeEach(useNewFolder);
  afterEach(stopAndRemove);

  test('keep their data across a restart, despite a stale lock file', async () => {
    const first = await start();
    await query(first.postgresUrl, 'CREATE TABLE books (title text)');
    await query(first.postgresUrl, "INSERT INTO books VALUES ('Žena i more')");
    await withBooks(first.mongodbUri, books => books.insertOne({ title: 'Net' }, { writeConcern: { j: true } }));
    await withBooks(first.mongodbUri, books => books.updateOne({ title: 'Net' }, { $set: { price: 9 } }));
    await first.stop();
    await first.stop();
    expect(processesOf(dataDir)).toEqual([]);

    // A stale lock that names another process.
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(dataDir, 'postgres')}\n`);
    const second = await start();
    expect(await query(second.postgresUrl, 'SELECT upper(title) AS title FROM books')).toEqual([
      { title: 'ŽENA I MORE' },
    ]);
    expect(await withBooks(second.mongodbUri, books => books.findOne({}, { projection: { _id: 0 } }))).toEqual({
      title: 'Net',
      price: 9,
    });
    await withBooks(second.mongodbUri, books => books.deleteMany({}));
    expect(await withBooks(second.mongodbUri, books => books.countDocuments())).toBe(0);
  });

  test('stop when their parent process is killed, and keep their data', async () => {
    const child = spawn(process.execPath, [join(__dirname, 'start-and-wait.mjs'), dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { postgresUrl, mongodbUri } = JSON.parse(line) as EmbeddedDatabases;
    await query(postgresUrl, 'CREATE TABLE kept (id int)');
    await withBooks(mongodbUri, books => books.insertOne({ title: 'Kept' }, { writeConcern: { j: true } }));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await untilNoProcessOf(dataDir);

    const again = await start();
    expect(await query(again.postgresUrl, 'SELECT * FROM kept')).toEqual([]);
    expect(await withBooks(again.mongodbUri, books => books.countDocuments())).toBe(1);
  });

  // macOS has no limit of this kind.
  (process.platform === 'linux' ? test : test.skip)(
    'abort MongoDB queries that exceed the memory limit, and serve other queries meanwhile',
    async () => {
      const progress: string[] = [];
      running = await startEmbedded({
        dataDir,
        cacheDir: cacheDir(),
        durable: false,
        mongodbBytes: 1.5 * 1024 ** 3,
        postgresUrl: 'postgresql://not-used',
        onProgress: line => progress.push(line),
      });
      const { mongodbUri } = running;
      await withBooks(mongodbUri, async books => {
        await books.insertOne({ text: 'x'.repeat(8_000_000) });
        // Two gigabytes, from a pipeline of a few kilobytes.
        const texts = Array.from({ length: 256 }, (_, n) => ({ $concat: ['$text', String(n)] }));
        const query = () => books.aggregate([{ $project: { n: { $size: [texts] } } }]).toArray();
        const ended = Promise.allSettled([query(), query()]);
        let isOver = false;
        void ended.then(() => (isOver = true));
        const saved: number[] = [];
        for (let id = 0; !isOver; id += 1) {
          await withBooks(mongodbUri, others => others.insertOne({ _id: id as never }, { writeConcern: { j: true } }));
          saved.push(id);
          await delay(100);
        }
        expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        expect(await books.countDocuments({ _id: { $in: saved as never[] } })).toBe(saved.length);
      });
      // MongoDB did not restart.
      expect(progress.filter(line => line.includes('restarting'))).toEqual([]);
    },
  );

  test('refuse MongoDB data that another engine wrote, and name that engine', async () => {
    writeFileSync(join(dataDir, 'mongodb.engine'), 'mongod\n');
    await expect(
      startEmbedded({
        dataDir,
        cacheDir: cacheDir(),
        postgresUrl: 'postgresql://not-used',
        onProgress: () => {},
      }),
    ).rejects.toThrow(/written by the system's "mongod"/);
  });
});
