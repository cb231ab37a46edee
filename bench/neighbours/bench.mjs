// @ts-check
// Times of an account's calls, runs and builds during each attack in `e2e/neighbours` by another account, and during all
// of them together. The baseline are its times just before the attack, on the same machine.
// `npm run bench -- neighbours NAME` takes only the attacks whose names contain NAME; `together` is one.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Account } from '../../e2e/dist/neighbours/account.js';
import { ATTACKS } from '../../e2e/dist/neighbours/attacks.js';
import { openCrowdedRegistry } from '../../e2e/dist/neighbours/crowded-registry.js';
import { Neighbour } from '../../e2e/dist/neighbours/neighbour.js';
import { apiOf, freePort, median, percentile } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';
import { childOf, processorTime, processorWait } from './processors.mjs';

const ATTACKER = fileURLToPath(new URL('./attacker.mjs', import.meta.url));
const CALLS = 200;
const RUNS = 10;
const BUILDS = 3;
/** SQL statements after each build. */
const QUERIES = 5;
/**
 * How long the neighbour uses the platform before and during an attack, at least. Some attacks need seconds before they
 * begin, and the 99th percentile needs many calls.
 */
const ATTACK_MS = 20_000;
/** Time from a build of the neighbour to its next one, at least. An account that builds all the time is no longer preferred. */
const BUILD_EVERY_MS = 1_500;
/** Pause between two calls of the neighbour, so that its calls are spread over the attack. */
const PAUSE_MS = 20;
const GOALS = { list: 1.5, query: 1.5, 'list, 99 %': 3, build: 2, 'run begins, ms': 2_000 };

const wanted = process.argv[2] ?? '';
const attacks = [...ATTACKS.map(({ name }) => ({ name, attack: name })), { name: 'all together', attack: '' }].filter(
  ({ name }) => name.includes(wanted),
);

/** @typedef {{ attack: string, 'list, idle ms': number, 'list ×': number, '99 %, idle ms': number, '99 % ×': number, 'SQL, idle ms': number, 'SQL ×': number, 'run begins, ms': number, 'idle, ms': number, 'build, idle ms': number, 'build ×': number }} Row */

const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms));

/** Measures how long `act` takes. @param {() => Promise<unknown>} act */
async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** Uses the platform as an ordinary account does. @param {Neighbour} neighbour @param {number} [atLeastMs] */
async function measure(neighbour, atLeastMs = 0) {
  const endAt = performance.now() + atLeastMs;
  /** @type {number[]} */
  const lists = [];
  let isRest = false;
  const listing = (async () => {
    while (lists.length < CALLS || !isRest) {
      lists.push(await timed(() => neighbour.list()));
      await pause(PAUSE_MS);
    }
  })();
  /** @type {number[]} */
  const queries = [];
  /** @type {number[]} */
  const begins = [];
  /** @type {number[]} */
  const builds = [];
  while (builds.length < BUILDS || performance.now() < endAt) {
    const next = pause(BUILD_EVERY_MS);
    for (let n = 0; n < RUNS / BUILDS; n++) {
      const startedAt = Date.now();
      begins.push((await neighbour.run()) - startedAt);
    }
    builds.push(await timed(() => neighbour.build()));
    for (let n = 0; n < QUERIES; n++) queries.push(await timed(() => neighbour.query()));
    await next;
  }
  isRest = true;
  await listing;
  return {
    list: median(lists),
    'list, 99 %': percentile(lists, 0.99),
    query: median(queries),
    'run begins, ms': Math.max(...begins),
    build: median(builds),
  };
}

/** Starts the attack, and returns a function that ends it. @param {string[]} args of `attacker.mjs` */
function startAttack(args) {
  const attacker = fork(ATTACKER, args, { detached: true });
  const ended = once(attacker, 'exit');
  return {
    pid: Number(attacker.pid),
    end: async () => {
      if (attacker.connected) attacker.send('end');
      await ended;
    },
  };
}

const round = (/** @type {number} */ value) => Number(value.toFixed(value < 10 ? 2 : 0));

/** The longest time for which the backend's event loop did nothing else, in ms, since the last call. @param {number} port */
async function longestTaskMs(port) {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1_000;
}

/**
 * The client stands for a program on another machine, so it gets a processor at once. Processes that it starts do not.
 */
function preferThisProcess() {
  try {
    execFileSync('chrt', ['--fifo', '--reset-on-fork', '--all-tasks', '--pid', '1', String(process.pid)]);
  } catch {
    console.error('Without the right to use chrt, the times include those in which the client waits for a processor.');
  }
}

const metricsPort = await freePort();
const registry = await openCrowdedRegistry();
// Builds the archive before anything is measured.
await fetch(new URL('crowd-21000-first', registry.url));
const npm = { TRAWL_NPM_REGISTRY: registry.url };
const trawl = await startTrawl({
  env: {
    TRAWL_TRUSTED_PROXIES: '127.0.0.1',
    TRAWL_METRICS_PORT: String(metricsPort),
    USER_POSTGRES_URL: 'embedded',
    ...npm,
  },
});
try {
  const { url, pid: backend } = trawl.trawl;
  const { call } = await apiOf(url, trawl.dataDir, 'admin');
  /** @type {import('../../e2e/dist/harness/platform-client.js').Api} */
  const admin = async (method, path, body) => ({
    status: 201,
    body: await call(method, path, /** @type {object} */ (body)),
  });
  const worker = await addWorker(trawl, npm);
  preferThisProcess();
  const parts = {
    backend,
    worker: worker.pid,
    PostgreSQL: childOf(process.pid, /"runsStatementsOfUsers":false/),
    MongoDB: childOf(process.pid, /mongodb/),
    client: process.pid,
  };
  const neighbour = await Neighbour.open(await Account.open(url, worker.id, admin));
  await measure(neighbour);
  /** @type {Row[]} */
  const table = [];
  const uses = [];
  for (const { name, attack } of attacks) {
    const idle = await measure(neighbour, ATTACK_MS);
    const attacker = startAttack([url, trawl.dataDir, worker.id, attack]);
    await pause(3_000);
    const used = () => processorTime({ ...parts, attacker: attacker.pid }, { backend: 'builds' });
    const [before, waited, began] = [used(), processorWait(backend), performance.now()];
    await longestTaskMs(metricsPort);
    const busy = await measure(neighbour, ATTACK_MS);
    const [after, seconds] = [used(), (performance.now() - began) / 1_000];
    uses.push({
      attack: name,
      ...Object.fromEntries(
        Object.entries(after).map(([part, value]) => [part, round((value - (before[part] ?? 0)) / seconds)]),
      ),
      'backend waits': round((processorWait(backend) - waited) / seconds),
      'longest task, ms': round(await longestTaskMs(metricsPort)),
    });
    await attacker.end();
    const row = {
      attack: name,
      'list, idle ms': round(idle.list),
      'list ×': round(busy.list / idle.list),
      '99 %, idle ms': round(idle['list, 99 %']),
      '99 % ×': round(busy['list, 99 %'] / idle['list, 99 %']),
      'SQL, idle ms': round(idle.query),
      'SQL ×': round(busy.query / idle.query),
      'run begins, ms': round(busy['run begins, ms']),
      'idle, ms': round(idle['run begins, ms']),
      'build, idle ms': round(idle.build),
      'build ×': round(busy.build / idle.build),
    };
    table.push(row);
    process.stderr.write(`${JSON.stringify(row)}\n${JSON.stringify(uses.at(-1))}\n`);
  }
  console.table(table);
  console.log('Processors used, the share of time in which the backend waited for one, and its longest task:');
  console.table(uses);
  const worst = (/** @type {'list ×' | '99 % ×' | 'SQL ×' | 'run begins, ms' | 'build ×'} */ column) =>
    Math.max(...table.map(row => row[column]));
  console.log(
    JSON.stringify({
      bench: 'neighbours',
      ratio: worst('list ×'),
      goal: GOALS.list,
      query: { ratio: worst('SQL ×'), goal: GOALS.query },
      list_99: { ratio: worst('99 % ×'), goal: GOALS['list, 99 %'] },
      build: { ratio: worst('build ×'), goal: GOALS.build },
      run_begins_ms: { ms: worst('run begins, ms'), goal: GOALS['run begins, ms'] },
    }),
  );
} finally {
  await trawl.stop();
  await registry.close();
}
