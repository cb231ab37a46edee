import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheDir, type EmbeddedDatabases, placeDataDir, startEmbedded } from '@trawl/embedded';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { Child } from '../harness/child.js';
import { needed } from '../harness/needed.js';
import { freePortPair, Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';
import { type Fate, FaultProxy, type Said } from './fault-proxy.js';
import { type Begun, Marks, marking } from './marks.js';
import { Seeded } from './seeded.js';

/** Printed with the test's name; with it the same faults come at the same runs and messages. */
const SEED = Number(process.env.TRAWL_TEST_SEED) || Date.now() % 2 ** 31;

const RUNS = 1_000;
const AT_ONCE = 32;
/** How long a call waits for its run's end, before it takes its acceptance for good. */
const WAIT_MS = 2_000;
/** Longer than anything that is killed is away. */
const ASKED_MS = 120_000;
/** Who is killed, or which fault the lines have, and how often; each when so many runs have begun as the seed says. */
const FAULTS = { worker: 6, second: 6, backend: 5, postgres: 4, cut: 8, stall: 2 } as const;
/** Of a hundred messages. */
const DROPPED = 1;
const DOUBLED = 3;
const DELAYED = 5;

jest.setTimeout(600_000);

interface Plan {
  chain: number;
  input: { chain: number; lines: number; ms: number; stores: boolean };
  retries: number;
  /** So many of its tries are told to fail. */
  failures: number;
  onAny: boolean;
  /** What somebody does to its first try as soon as that has begun; a pause lasts so many ms. */
  control: 'stop' | { pause: number } | null;
}

interface Row {
  id: string;
  action: string;
  error_code: string | null;
  output: number | null;
  last_seq: number;
  retry_of: string | null;
  attempt: number;
  /** Endings that were written on it. */
  endings: number;
}

let temporary: string;
let databases: EmbeddedDatabases;
let proxy: FaultProxy;
let marks: Marks;
let platform: Platform;
let second: Child;
let database: Client;
let faults: { at: number; kind: keyof typeof FAULTS }[];
let faultsOff = false;
let begun = 0;
/** For each thing that is killed, what is still to be done with it, one after the other. */
const underWay = new Map<string, Promise<void>>();
/** What is still to be done to runs. */
const commands: Promise<void>[] = [];
const broken: unknown[] = [];

const plans = Array.from({ length: RUNS }, (_, chain): Plan => {
  const random = new Seeded(SEED, `run ${chain}`);
  const isLong = random.fraction() < 0.1;
  const retries = random.fraction() < 0.4 ? random.between(1, 3) : 0;
  const ms = isLong ? random.between(500, 2_000) : random.between(0, 100);
  const controlled = random.fraction();
  const pause = random.between(50, 1_000);
  return {
    chain,
    input: { chain, lines: random.between(1, 40), ms, stores: random.fraction() < 0.05 },
    retries,
    failures: random.fraction() < 0.2 ? random.between(1, 2) : 0,
    onAny: random.fraction() < 0.5,
    control: controlled < 0.05 ? 'stop' : controlled < 0.1 ? { pause } : null,
  };
});

function fateOf(): (said: Said) => Fate {
  const streams = new Map<string, Seeded>();
  return ({ connection, from, event }) => {
    const name = `${connection} from ${from}`;
    const random = streams.get(name) ?? new Seeded(SEED, name);
    streams.set(name, random);
    const hundred = random.fraction() * 100;
    const ms = random.between(5, 300);
    if (faultsOff) return 'pass';
    // A line loses nothing of itself; an operation that is under way is not asked for again while it stands.
    if (hundred < DROPPED) return event === 'storage' ? 'pass' : 'drop';
    if (hundred < DROPPED + DOUBLED) return { again: ms };
    if (hundred < DROPPED + DOUBLED + DELAYED) return { delay: ms };
    return 'pass';
  };
}

beforeAll(async () => {
  const random = new Seeded(SEED, 'faults');
  faults = Object.entries(FAULTS)
    .flatMap(([kind, times]) => Array.from({ length: times }, () => kind as keyof typeof FAULTS))
    .map(kind => ({ at: random.between(10, 0.8 * RUNS), kind }))
    .sort((a, b) => a.at - b.at);
  temporary = mkdtempSync(join(tmpdir(), 'trawl-chaos-'));
  // PostgreSQL and the users of runs must be able to pass through.
  chmodSync(temporary, 0o711);
  databases = await startEmbedded({
    dataDir: placeDataDir(join(temporary, 'databases')).dataDir,
    cacheDir: cacheDir(),
    mongodbUri: needed('TRAWL_TEST_MONGODB_URI'),
    onProgress: () => {},
  });
  marks = await Marks.open(chain => plans[chain]?.failures ?? 0, runBegan);
  // While the backend is dead nobody else may take its port.
  const port = await freePortPair();
  proxy = await FaultProxy.open({ target: `http://127.0.0.1:${port}`, fate: fateOf() });
  faultsOff = true;
  const mark = `127.0.0.1:${marks.port}`;
  const { postgresUrl } = databases;
  platform = await Platform.start({}, [`http://${mark}`], { port, postgresUrl, workerUrl: proxy.url });
  const admin = await platform.as('admin');
  const { body } = await admin('POST', '/joint-api/workers/addnew', { name: 'second', public: true });
  const { dataDir } = placeDataDir(join(temporary, 'second'));
  second = new Child('worker/dist/main.js', {
    TRAWL_URL: proxy.url,
    TRAWL_DATA_DIR: dataDir,
    TRAWL_WORKER_KEY: body.key,
    TRAWL_EGRESS_ALLOW: mark,
  });
  await second.start(async () => (await admin('GET', `/joint-api/workers/${body.id}`)).body.status === 'online');
  const client = await connected();
  // Whatever writes an ending, this sees it; and it is rolled back with it.
  await client.query(`
    CREATE TABLE seen_endings (execution_id uuid, action text);
    CREATE FUNCTION see_ending() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.action IN ('stop', 'end', 'error') AND (NEW.action, NEW.error_code, NEW.output::text)
        IS DISTINCT FROM (OLD.action, OLD.error_code, OLD.output::text)
      THEN INSERT INTO seen_endings VALUES (NEW.id, NEW.action); END IF;
      RETURN NULL; END $$;
    CREATE TRIGGER see_ending AFTER UPDATE ON executions FOR EACH ROW EXECUTE FUNCTION see_ending();`);
  await client.end();
});

afterAll(async () => {
  await Promise.all(underWay.values());
  await database?.end();
  await second?.kill('SIGTERM');
  await platform?.close();
  await proxy?.close();
  await marks?.close();
  await databases?.stop();
  rmSync(temporary, { recursive: true, force: true });
});

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: platform.databaseUrl });
  client.on('error', () => {}); // PostgreSQL is killed
  await client.connect();
  return client;
}

function runBegan({ run, chain, tries }: Begun): void {
  begun += 1;
  const control = plans[chain]?.control;
  if (control && tries === 1) commands.push(controlled(run, control).catch(e => void broken.push(e)));
  while (!faultsOff && faults[0] && faults[0].at <= begun) {
    const { kind } = faults.shift() as (typeof faults)[number];
    if (kind === 'cut') proxy.cut();
    else if (kind === 'stall') proxy.stall();
    else
      underWay.set(
        kind,
        (underWay.get(kind) ?? Promise.resolve()).then(() => killed(kind)).catch(e => void broken.push(e)),
      );
  }
}

async function controlled(run: string, control: NonNullable<Plan['control']>): Promise<void> {
  if (control === 'stop') return command(run, 'stop');
  await command(run, 'pause');
  await new Promise(resolve => setTimeout(resolve, control.pause));
  await command(run, 'resume');
}

/** Gives it until the platform has taken it, or the run is over. */
async function command(run: string, what: 'stop' | 'pause' | 'resume'): Promise<void> {
  const developer = await platform.as('developer');
  await until(async () => {
    const path = `/joint-api/execute-skript/single-worker/${what}?execution_id=${run}`;
    const answer = await developer('GET', path).catch(() => null);
    if (answer && ![200, 404, 503].includes(answer.status))
      throw new Error(`${what} was refused: ${JSON.stringify(answer)}`);
    return answer && answer.status !== 503;
  }, `${what} to be taken`);
}

async function killed(kind: 'worker' | 'second' | 'backend' | 'postgres'): Promise<void> {
  if (kind === 'postgres') {
    const before = postmaster() as number;
    process.kill(before, 'SIGKILL');
    await until(async () => ![before, null].includes(postmaster()) && (await answers()), 'PostgreSQL to be back');
    return;
  }
  const child = { worker: platform.worker, second, backend: platform.backend }[kind];
  await child.kill('SIGKILL');
  // A backend that finds no PostgreSQL at its start ends, and whoever looks after it starts it again.
  if (kind !== 'backend') return child.start(async () => true);
  let failure: unknown = null;
  await until(async () => {
    failure = await platform.startBackend().then(
      () => null,
      (error: unknown) => error,
    );
    return failure === null;
  }, 'the backend to be back').catch(error => {
    throw new Error(`${error.message} ${failure}`);
  });
}

/** Process id of the PostgreSQL of this test; null while there is none. */
function postmaster(): number | null {
  const { dataDir } = placeDataDir(join(temporary, 'databases'));
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
}

const answers = (): Promise<boolean> =>
  connected().then(
    client => client.end().then(() => true),
    () => false,
  );

/** Asks until the platform has taken it, as a program does that wants to be sure; answers the run's id. */
async function ask({ chain, input, retries, onAny }: Plan, skript: string): Promise<string> {
  const developer = await platform.as('developer');
  const query = `wait_ms=${WAIT_MS}&retries=${retries}&retry_delay_ms=${100}`;
  const body = { worker_id: onAny ? 'any' : platform.workerId, skript_id: skript, input };
  for (const giveUpAt = performance.now() + ASKED_MS; performance.now() < giveUpAt; ) {
    if (broken.length > 0) throw broken[0];
    const answer = await developer('POST', `/joint-api/execute-skript/single-worker/start?${query}`, body, {
      'idempotency-key': `chaos-${chain}`,
    }).catch(() => null);
    if (answer?.status === 200 || answer?.status === 202) return answer.body.id;
    if (answer && answer.status !== 503) throw new Error(`Run ${chain} was refused: ${JSON.stringify(answer)}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`Run ${chain} was not taken in ${ASKED_MS / 1_000} s. The backend said:\n${platform.backend.log}`);
}

async function rows(): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `SELECT e.id, e.action, e.error_code, e.output, e.last_seq, e.retry_of, e.attempt,
       (SELECT count(*)::int FROM seen_endings s WHERE s.execution_id = e.id) AS endings
     FROM executions e ORDER BY e.id`,
  );
  return rows;
}

/** Numbers and texts of a run's saved echoes, in the order of its chunks. */
async function saved(id: string): Promise<{ seq: number; msg: string }[]> {
  const { rows } = await database.query<{ gz: Buffer }>(
    'SELECT gz FROM echo_chunks WHERE execution_id = $1 ORDER BY n',
    [id],
  );
  const csv: string[][] = rows.flatMap(({ gz }) => parse(gunzipSync(gz)) as string[][]);
  return csv.map(([seq, , , msg]) => ({ seq: Number(seq), msg: msg as string }));
}

/** Folders of runs that a worker keeps until the platform has all of them. */
const left = (): string[] =>
  [platform.dataDir, placeDataDir(join(temporary, 'second')).dataDir].flatMap(folder =>
    readdirSync(join(folder, 'worker', 'runs')),
  );

it(`keeps what is promised of ${RUNS} runs while everything is killed and the line loses, doubles and delays (seed ${SEED})`, async () => {
  const skript = await platform.skript('chaos', marking(marks.port));
  faultsOff = false;
  const ids = new Map<number, string>();
  const waiting = [...plans];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) ids.set(plan.chain, await ask(plan, skript));
    }),
  );
  await until(async () => faults.length === 0, 'every fault to have come', 300_000);
  faultsOff = true;
  await Promise.all([...underWay.values(), ...commands]);
  expect(broken).toEqual([]);
  database = await connected();
  await until(
    async () => (await database.query('SELECT 1 FROM live_runs LIMIT 1')).rows.length === 0,
    'every run to end',
    120_000,
  );
  // Of runs that began last.
  await Promise.all(commands);
  expect(broken).toEqual([]);
  await until(async () => left().length === 0, 'the workers to have given everything to the platform', 120_000);

  const all = await rows();
  expect(all.filter(row => row.endings !== 1)).toEqual([]);
  expect([...marks.begun].filter(([, times]) => times !== 1)).toEqual([]);
  expect(marks.overlaps).toEqual([]);
  expect([...marks.begun.keys()].filter(id => !all.some(row => row.id === id))).toEqual([]);

  const tries = new Map<string, Row[]>();
  for (const row of all) tries.set(row.retry_of ?? row.id, [...(tries.get(row.retry_of ?? row.id) ?? []), row]);
  expect(tries.size).toBe(RUNS);
  const stored = await platform.documents('chaos');
  for (const { chain, input, retries, control } of plans) {
    // A call that joins a run whose tries go on is answered with the last of them.
    const answered = all.find(({ id }) => id === ids.get(chain));
    const ofChain = tries.get(answered?.retry_of ?? (answered?.id as string)) as Row[];
    expect(ofChain.map(({ attempt }) => attempt)).toEqual(ofChain.map((_, index) => index + 1));
    expect(ofChain.length).toBeLessThanOrEqual(retries + 1);
    const last = ofChain.at(-1) as Row;
    if (last.action === 'end') expect(last).toMatchObject({ output: input.lines, last_seq: input.lines });
    else if (control === 'stop') expect(['stop', 'error']).toContain(last.action);
    else expect(ofChain).toHaveLength(retries + 1);
    for (const row of ofChain) {
      if (row.action === 'error') expect(['exception', 'worker_lost', 'bundle_unavailable']).toContain(row.error_code);
      else expect(row.id).toBe(last.id);
      // One that waits for its time can be stopped before it has begun.
      if (row.action === 'end') expect([row.id, marks.begun.get(row.id)]).toEqual([row.id, 1]);
      const numbers = Array.from({ length: row.last_seq }, (_, index) => index + 1);
      expect(await saved(row.id)).toEqual(numbers.map(seq => ({ seq, msg: `line ${seq}` })));
      const lines = stored.filter(({ run }) => run === row.id).map(({ line }) => line);
      if (row.action === 'end') expect(lines.sort((a, b) => a - b)).toEqual(input.stores ? numbers : []);
    }
  }
});
