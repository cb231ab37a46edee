import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { cacheDir, type EmbeddedDatabases, placeDataDir, startEmbedded } from '@trawl/embedded';
import { parse } from 'csv-parse/sync';
import { Client } from 'pg';
import { needed } from '../harness/needed.js';
import { Platform } from '../harness/platform.js';
import { freePortPair } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';
import { WorkerProcess } from '../harness/worker-process.js';
import { type Fate, FaultProxy, type ProxiedMessage } from './fault-proxy.js';
import { type Begun, Marks, marking } from './marks.js';
import { Seeded } from './seeded.js';

const RUNS = isFullTest ? 1_000 : 30;
const CONCURRENCY = isFullTest ? 32 : 16;
/**
 * A request to start a run waits at most this long for the end of the run. Then it returns the run without a result.
 */
const WAIT_MS = 2_000;
/** A start is repeated for at most this long. Every killed process is running again much sooner. */
const START_TIMEOUT_MS = 120_000;
/** Calls to a killed backend fail at once. If they were repeated sooner, they would take processor time from its start. */
const RETRY_MS = 250;
/**
 * How often each process is killed and how often each fault hits the connections. The seed decides after how many runs
 * each of these happens.
 */
const FAULTS = isFullTest
  ? { worker: 6, second: 6, backend: 5, postgres: 4, cut: 8, stall: 2, freeze: 4 }
  : { worker: 1, second: 0, backend: 1, postgres: 1, cut: 2, stall: 1, freeze: 0 };
/** A frozen worker stands still for less than a lease, so it keeps its runs. */
const FREEZE_MS = 3_000;
const DROPPED_PERCENT = 1;
const DOUBLED_PERCENT = 3;
const DELAYED_PERCENT = 5;

// In full, the test takes 10 minutes on two cores.
jest.setTimeout(isFullTest ? 1_500_000 : 600_000);

interface Plan {
  chain: number;
  input: { chain: number; lines: number; ms: number; stores: boolean };
  retries: number;
  /** Number of attempts of this run that fail on purpose. */
  failures: number;
  onAny: boolean;
  /**
   * The command that the test sends when the first attempt of the run has begun. `pause` is the length of the pause in
   * ms.
   */
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
  /** Number of documents that the run has inserted, as its worker counted them. */
  inserted: number;
  /** How many times the platform wrote an end of the run to this row. It must be 1. */
  endings: number;
}

let temporary: string;
let databases: EmbeddedDatabases;
let proxy: FaultProxy;
let marks: Marks;
let platform: Platform;
let second: WorkerProcess;
let database: Client;
let faults: { at: number; kind: keyof typeof FAULTS }[];
let faultsOff = false;
let begun = 0;
/** For each process that the test kills, a promise that resolves after all its kills and restarts so far. */
const restarts = new Map<string, Promise<void>>();
/** One promise for each run that the test stops or pauses. It resolves when all commands for this run were sent. */
const commands: Promise<void>[] = [];
const errors: unknown[] = [];

const plans = Array.from({ length: RUNS }, (_, chain): Plan => {
  const random = new Seeded(testSeed, `run ${chain}`);
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

function fateOf(): (said: ProxiedMessage) => Fate {
  const streams = new Map<string, Seeded>();
  return ({ connection, from, event }) => {
    const name = `${connection} from ${from}`;
    const random = streams.get(name) ?? new Seeded(testSeed, name);
    streams.set(name, random);
    const percent = random.fraction() * 100;
    const ms = random.between(5, 300);
    if (faultsOff) return 'pass';
    // Never drop a storage operation. A real connection loses no messages while it is open, so the worker does not
    // repeat a storage operation on the same connection.
    if (percent < DROPPED_PERCENT) return event === 'storage' ? 'pass' : 'drop';
    if (percent < DROPPED_PERCENT + DOUBLED_PERCENT) return { again: ms };
    if (percent < DROPPED_PERCENT + DOUBLED_PERCENT + DELAYED_PERCENT) return { delay: ms };
    return 'pass';
  };
}

beforeAll(async () => {
  const random = new Seeded(testSeed, 'faults');
  faults = Object.entries(FAULTS)
    .flatMap(([kind, times]) => Array.from({ length: times }, () => kind as keyof typeof FAULTS))
    .map(kind => ({ at: random.between(10, 0.8 * RUNS), kind }))
    .sort((a, b) => a.at - b.at);
  temporary = temporaryFolder('trawl-chaos-');
  databases = await startEmbedded({
    dataDir: placeDataDir(join(temporary, 'databases')).dataDir,
    cacheDir: cacheDir(),
    mongodbUri: needed('TRAWL_TEST_MONGODB_URI'),
    onProgress: () => {},
  });
  marks = await Marks.open(chain => plans[chain]?.failures ?? 0, runBegan);
  // `freePortPair` returns a port that no other program takes while the backend is dead.
  const port = await freePortPair();
  proxy = await FaultProxy.open({ target: `http://127.0.0.1:${port}`, fate: fateOf() });
  faultsOff = true;
  const marksAddress = `127.0.0.1:${marks.port}`;
  platform = await Platform.start({
    mayReach: [`http://${marksAddress}`],
    port,
    postgresUrl: databases.postgresUrl,
    workerEnv: { TRAWL_URL: proxy.url },
  });
  const admin = await platform.as('admin');
  second = await WorkerProcess.start(
    admin,
    { name: 'second', public: true },
    { TRAWL_URL: proxy.url, TRAWL_EGRESS_ALLOW: marksAddress },
  );
  const client = await connect();
  // The trigger records every end of a run, no matter which statement writes it. If the end is rolled back, the record
  // is rolled back, too.
  await client.query(`
    CREATE TABLE recorded_endings (execution_id uuid, action text);
    CREATE FUNCTION record_ending() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.action IN ('stop', 'end', 'error') AND (NEW.action, NEW.error_code, NEW.output::text)
        IS DISTINCT FROM (OLD.action, OLD.error_code, OLD.output::text)
      THEN INSERT INTO recorded_endings VALUES (NEW.id, NEW.action); END IF;
      RETURN NULL; END $$;
    CREATE TRIGGER record_ending AFTER UPDATE ON executions FOR EACH ROW EXECUTE FUNCTION record_ending();`);
  await client.end();
});

afterAll(async () => {
  await Promise.all(restarts.values());
  await database?.end();
  await second?.close();
  await platform?.close();
  await proxy?.close();
  await marks?.close();
  await databases?.stop();
  rmSync(temporary, { recursive: true, force: true });
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: platform.databaseUrl });
  client.on('error', () => {}); // the test kills PostgreSQL
  await client.connect();
  return client;
}

function runBegan({ run, chain, tries }: Begun): void {
  begun += 1;
  const control = plans[chain]?.control;
  if (control && tries === 1) commands.push(sendControl(run, control).catch(e => void errors.push(e)));
  while (!faultsOff && faults[0] && faults[0].at <= begun) {
    const { kind } = faults.shift() as (typeof faults)[number];
    if (kind === 'cut') proxy.cut();
    else if (kind === 'stall') proxy.stall();
    else {
      // A frozen worker must not be killed before it goes on.
      const process = kind === 'freeze' ? 'second' : kind;
      const before = restarts.get(process) ?? Promise.resolve();
      const act = () => (kind === 'freeze' ? freeze(second) : killAndRestart(kind));
      restarts.set(
        process,
        before.then(act).catch(e => void errors.push(e)),
      );
    }
  }
}

async function freeze(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGSTOP');
  await sleep(FREEZE_MS);
  worker.signal('SIGCONT');
}

async function sendControl(run: string, control: NonNullable<Plan['control']>): Promise<void> {
  if (control === 'stop') return command(run, 'stop');
  await command(run, 'pause');
  await sleep(control.pause);
  await command(run, 'resume');
}

/** Sends the command again and again until the platform accepts it, or until the run is over. */
async function command(run: string, what: 'stop' | 'pause' | 'resume'): Promise<void> {
  const developer = await platform.as('developer');
  await until(async () => {
    const path = `/joint-api/execute-skript/single-worker/${what}?execution_id=${run}`;
    const answer = await developer('GET', path).catch(() => null);
    if (answer && ![200, 404, 503].includes(answer.status))
      throw new Error(`${what} was refused: ${JSON.stringify(answer)}`);
    return answer && answer.status !== 503;
  }, `${what} to be accepted`);
}

async function killAndRestart(kind: 'worker' | 'second' | 'backend' | 'postgres'): Promise<void> {
  if (kind === 'postgres') {
    const before = postmaster() as number;
    process.kill(before, 'SIGKILL');
    await until(
      async () => ![before, null].includes(postmaster()) && (await acceptsConnections()),
      'PostgreSQL to be back',
    );
    return;
  }
  if (kind !== 'backend') {
    const worker = { worker: platform.worker, second }[kind];
    await worker.kill('SIGKILL');
    return worker.launch();
  }
  await platform.backend.kill('SIGKILL');
  // A backend exits if it cannot reach PostgreSQL. So start the backend again until it is ready, as a supervisor does.
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

/** Returns the process id of this test's PostgreSQL; null while it is down. */
function postmaster(): number | null {
  const { dataDir } = placeDataDir(join(temporary, 'databases'));
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
}

const acceptsConnections = (): Promise<boolean> =>
  connect().then(
    client => client.end().then(() => true),
    () => false,
  );

/**
 * Requests the start again and again, with the same idempotency key, until the platform accepts it. Returns the run's
 * id.
 */
async function startRun({ chain, input, retries, onAny }: Plan, skript: string): Promise<string> {
  const developer = await platform.as('developer');
  const query = `wait_ms=${WAIT_MS}&retries=${retries}&retry_delay_ms=${100}`;
  const body = { worker_id: onAny ? 'any' : platform.workerId, skript_id: skript, input };
  for (const giveUpAt = performance.now() + START_TIMEOUT_MS; performance.now() < giveUpAt; ) {
    if (errors.length > 0) throw errors[0];
    const answer = await developer('POST', `/joint-api/execute-skript/single-worker/start?${query}`, body, {
      'idempotency-key': `chaos-${chain}`,
    }).catch(() => null);
    if (answer?.status === 200 || answer?.status === 202) return answer.body.id;
    if (answer && answer.status !== 503) throw new Error(`Run ${chain} was refused: ${JSON.stringify(answer)}`);
    await sleep(RETRY_MS);
  }
  throw new Error(
    `Run ${chain} was not accepted within ${START_TIMEOUT_MS / 1_000} s. The backend's log:\n${platform.backend.log}`,
  );
}

async function rows(): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `SELECT e.id, e.action, e.error_code, e.output, e.last_seq, e.retry_of, e.attempt,
       coalesce((e.writes->0->>'inserted')::int, 0) AS inserted,
       (SELECT count(*)::int FROM recorded_endings s WHERE s.execution_id = e.id) AS endings
     FROM executions e ORDER BY e.id`,
  );
  return rows;
}

/** Returns numbers and texts of a run's saved echoes, in the order of its chunks. */
async function savedEchoes(id: string): Promise<{ seq: number; msg: string }[]> {
  const { rows } = await database.query<{ gz: Buffer }>(
    'SELECT gz FROM echo_chunks WHERE execution_id = $1 ORDER BY n',
    [id],
  );
  const csv: string[][] = rows.flatMap(({ gz }) => parse(gunzipSync(gz)) as string[][]);
  return csv.map(([seq, , , msg]) => ({ seq: Number(seq), msg: msg as string }));
}

/** Lists the folders of the runs whose results a worker has not yet sent to the platform. */
const undelivered = async (): Promise<string[]> =>
  (await Promise.all([platform.worker, second].map(worker => worker.undelivered()))).flat();

it(`${RUNS} runs end once each, although processes are killed and messages lost, doubled and delayed (seed ${testSeed})`, async () => {
  const skript = await platform.skript('chaos', marking(marks.port));
  faultsOff = false;
  const ids = new Map<number, string>();
  const waiting = [...plans];
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) ids.set(plan.chain, await startRun(plan, skript));
    }),
  );
  await until(async () => faults.length === 0, 'every fault to be injected', 300_000);
  faultsOff = true;
  await Promise.all([...restarts.values(), ...commands]);
  expect(errors).toEqual([]);
  database = await connect();
  await until(
    async () => (await database.query('SELECT 1 FROM live_runs LIMIT 1')).rows.length === 0,
    'every run to end',
    300_000,
  );
  // Runs that began in the meantime may have added more commands.
  await Promise.all(commands);
  expect(errors).toEqual([]);
  await until(
    async () => (await undelivered()).length === 0,
    'the workers to deliver everything to the platform',
    120_000,
    async () => {
      const left = await undelivered();
      const known = (await rows()).filter(({ id }) => left.includes(id));
      return `Left: ${left.join(', ')}. Platform: ${JSON.stringify(known)}. Logs of the workers:\n${platform.worker.log}\n${second.log}`;
    },
  );

  const all = await rows();
  expect(all.filter(row => row.endings !== 1)).toEqual([]);
  expect([...marks.begun].filter(([, times]) => times !== 1)).toEqual([]);
  expect(marks.overlaps).toEqual([]);
  expect([...marks.begun.keys()].filter(id => !all.some(row => row.id === id))).toEqual([]);

  const attempts = new Map<string, Row[]>();
  for (const row of all) attempts.set(row.retry_of ?? row.id, [...(attempts.get(row.retry_of ?? row.id) ?? []), row]);
  expect(attempts.size).toBe(RUNS);
  const stored = await platform.documents('chaos');
  for (const { chain, input, retries, control } of plans) {
    // If the start request was repeated, it may have returned a retry instead of the first attempt.
    const answered = all.find(({ id }) => id === ids.get(chain));
    const ofChain = attempts.get(answered?.retry_of ?? (answered?.id as string)) as Row[];
    expect(ofChain.map(({ attempt }) => attempt)).toEqual(ofChain.map((_, index) => index + 1));
    expect(ofChain.length).toBeLessThanOrEqual(retries + 1);
    const last = ofChain.at(-1) as Row;
    if (last.action === 'end') expect(last).toMatchObject({ output: input.lines, last_seq: input.lines });
    else if (control === 'stop') expect(['stop', 'error']).toContain(last.action);
    else expect(ofChain).toHaveLength(retries + 1);
    for (const row of ofChain) {
      if (row.action === 'error') expect(['exception', 'worker_lost', 'bundle_unavailable']).toContain(row.error_code);
      else expect(row.id).toBe(last.id);
      // Only check runs that ended normally: a run that was stopped may never have begun.
      if (row.action === 'end') expect([row.id, marks.begun.get(row.id)]).toEqual([row.id, 1]);
      const numbers = Array.from({ length: row.last_seq }, (_, index) => index + 1);
      expect(await savedEchoes(row.id)).toEqual(numbers.map(seq => ({ seq, msg: `line ${seq}` })));
      const lines = stored.filter(({ run }) => run === row.id).map(({ line }) => line);
      if (row.action === 'end') {
        expect(lines.sort((a, b) => a - b)).toEqual(input.stores ? numbers : []);
        expect([row.id, row.inserted]).toEqual([row.id, lines.length]);
      }
    }
  }
});
