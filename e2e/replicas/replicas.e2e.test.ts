import type { Trawl, TrawlError } from '@trawl/client';
import { Seeded } from '../chaos/seeded.js';
import { until } from '../harness/until.js';
import { Cluster, DRAIN_MS, type GroupWorker } from './cluster.js';
import { busiest, FAULTS, type Fault, inject, TARGETS, type Target } from './faults.js';
import { ECHOES, HeldRuns, heldSkript } from './held-runs.js';

const RUNS = isFullTest ? 2_000 : 32;
const CONCURRENCY = isFullTest ? 16 : 8;
const FINAL_ACTIONS = ['end', 'error', 'stop'];
/** Each run with a number that this divides gets a new process. The others use warm processes. */
const COLD_EVERY = isFullTest ? 40 : 15;

jest.setTimeout(900_000);

interface Plan {
  n: number;
  worker: GroupWorker;
  command: 'pause' | 'stop' | null;
}

interface Row {
  id: string;
  action: string;
  error_code: string | null;
  worker_name: string;
  output: number | null;
}

let held: HeldRuns;
let cluster: Cluster;
let viewer: Trawl;
let skripts: { warm: string; cold: string };
/** Names of the workers that were killed, frozen or rolled. */
const disturbed = new Set<string>();
/** The echoes that the viewer of each run received. */
const seen = new Map<string, string[]>();
const plans = new Map<string, Plan>();

beforeAll(async () => {
  held = await HeldRuns.open();
  cluster = await Cluster.start(`127.0.0.1:${held.port}`);
  viewer = await cluster.throughCaddy();
  const files = heldSkript(held.port);
  skripts = {
    warm: await cluster.skript('warm', files, { warm: true }),
    cold: await cluster.skript('cold', files),
  };
});
afterAll(async () => {
  await cluster?.close();
  await held?.close();
});

/** Returns the faults of this test: in the full test all of them, otherwise one of each process, chosen by the seed. */
function faults(): [Target, Fault][] {
  const random = new Seeded(testSeed, 'faults');
  return TARGETS.flatMap(target =>
    isFullTest
      ? FAULTS.map((fault): [Target, Fault] => [target, fault])
      : [[target, FAULTS[random.between(0, FAULTS.length - 1)] as Fault] satisfies [Target, Fault]],
  );
}

function planOf(n: number): Plan {
  const random = new Seeded(testSeed, `run ${n}`);
  const commanded = random.fraction();
  return {
    n,
    worker: cluster.workers[n % cluster.workers.length] as GroupWorker,
    command: commanded < 0.1 ? 'pause' : commanded < 0.2 ? 'stop' : null,
  };
}

/** Starts a run, commands it and waits for its end. Only the viewer goes through Caddy. */
async function drive(plan: Plan): Promise<void> {
  const { n, worker, command } = plan;
  const client = await cluster.elsewhere(worker);
  const run = client.run(n % COLD_EVERY === 0 ? skripts.cold : skripts.warm, n, { worker: worker.id });
  const id = await run.id();
  plans.set(id, plan);
  const watched = view(id);
  await Promise.race([held.began(id), watched]);
  if (command === 'stop') await sendUntil('stop', run);
  if (command === 'pause') {
    await sendUntil('pause', run);
    await sendUntil('resume', run);
  }
  if (command !== 'stop') held.release(id);
  seen.set(id, await watched);
}

/** Reads the echoes of a run live, until it has ended. */
async function view(id: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { seq, msg } of viewer.logs(id)) lines.push(`${seq} ${msg}`);
  return lines;
}

const AFTER = { stop: 'stop', pause: 'pause', resume: 'start' };

/** Sends a command, and waits until the run has the action or has ended. */
async function sendUntil(command: keyof typeof AFTER, run: ReturnType<Trawl['run']>): Promise<void> {
  await until(
    async () => {
      try {
        await run[command]();
        return true;
      } catch (error) {
        // The kernel of a busy machine may be too slow to freeze the run. The run continues, so try again.
        if ((error as TrawlError).code === 'pause_not_available') return false;
        if ((error as TrawlError).code === 'no_live_run') return true;
        throw error;
      }
    },
    `an answer to ${command}`,
    180_000,
  );
  await until(
    async () => {
      const { action } = await run.execution();
      return action === AFTER[command] || FINAL_ACTIONS.includes(action);
    },
    `${command} of run ${await run.id()}`,
    180_000,
  );
}

it(`several backends lose no run or echo and run none twice while processes are killed and frozen (seed ${testSeed})`, async () => {
  const all = faults();
  let n = 0;
  for (const [index, [target, fault]] of all.entries()) {
    const until = Math.round((RUNS * (index + 1)) / all.length);
    const half = Math.round((n + until) / 2);
    let injected: Promise<void> | undefined;
    const drivers = Array.from({ length: CONCURRENCY }, async () => {
      while (n < until) {
        if (n >= half) injected ??= inject(cluster, target, fault, disturbed);
        await drive(planOf(n++));
      }
    });
    await Promise.all(drivers);
    await injected;
  }

  const rows = await cluster.sql<Row>('SELECT id, action, error_code, worker_name, output FROM executions');
  expect(rows).toHaveLength(RUNS);
  expect(rows.map(({ id }) => id).sort()).toEqual([...plans.keys()].sort());
  expect([...held.executions].filter(([, times]) => times !== 1)).toEqual([]);
  for (const { id, action, error_code, worker_name, output } of rows) {
    const { command, ...plan } = plans.get(id) as Plan;
    if (action === 'error') {
      expect([error_code, [...disturbed]]).toEqual(['worker_lost', expect.arrayContaining([worker_name])]);
      continue;
    }
    expect([id, action]).toEqual([id, command === 'stop' ? 'stop' : 'end']);
    if (action === 'end') expect([output, held.executions.get(id)]).toEqual([plan.n, 1]);
    const lines = Array.from(
      { length: action === 'end' ? ECHOES : ECHOES - 1 },
      (_, line) => `${line + 1} line ${line + 1}`,
    );
    expect((await cluster.echoes(id)).map(({ seq, msg }) => `${seq} ${msg}`)).toEqual(lines);
    expect(seen.get(id)).toEqual(lines);
  }
});

it('on SIGTERM, a backend is not ready but serves calls for TRAWL_DRAIN_MS, then releases its workers', async () => {
  const { url, child, id } = await busiest(cluster);
  const headers = { authorization: `Bearer ${await cluster.signIn('developer')}` };
  const statusOf = async (path: string) => (await fetch(url + path, { headers })).status;
  expect(await statusOf('/health/ready')).toBe(200);
  const toldAt = performance.now();
  const ended = child.kill('SIGTERM').then(() => performance.now() - toldAt);
  await until(async () => (await statusOf('/health/ready')) === 503, 'the backend to say that it is not ready');
  expect([await statusOf('/health/live'), await statusOf('/joint-api/account')]).toEqual([200, 200]);
  expect(await ended).toBeGreaterThanOrEqual(DRAIN_MS);
  expect(await cluster.sql('SELECT 1 FROM worker_leases WHERE replica_id = $1', [id])).toEqual([]);
  await until(
    async () => (await Promise.all(cluster.workers.map(worker => cluster.holderOf(worker)))).every(holder => holder),
    'all workers to connect to another backend',
  );
});
