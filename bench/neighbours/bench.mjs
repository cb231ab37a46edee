// @ts-check
// Times of an account's calls, runs and builds during each attack in `e2e/neighbours` by another account, and during all
// of them together. The baseline are its times just before the attack, on the same
// machine. `npm run bench -- neighbours NAME` takes only the attacks whose names contain NAME; `together` is one.
import { Account } from '../../e2e/dist/neighbours/account.js';
import { ATTACKS } from '../../e2e/dist/neighbours/attacks.js';
import { Neighbour } from '../../e2e/dist/neighbours/neighbour.js';
import { apiOf, makeDataDir, median, percentile } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';

const CALLS = 200;
const RUNS = 10;
const BUILDS = 3;
/** Pause between two calls of the neighbour, so that its calls are spread over the attack. */
const PAUSE_MS = 20;
const GOALS = { list: 1.5, 'list, 99 %': 3, build: 2, 'run begins, ms': 2_000 };
/** These quotas would stop an attack that is repeated. */
const QUOTAS = { echo_bytes_per_day: 0, runs_per_day: 0, skripts: 0, file_bytes: 0 };

const wanted = process.argv[2] ?? '';
const attacks = [
  ...ATTACKS.map(attack => ({ name: attack.name, attacks: [attack] })),
  { name: 'all together', attacks: ATTACKS },
].filter(({ name }) => name.includes(wanted));

/** @typedef {{ attack: string, 'list, idle ms': number, 'list ×': number, '99 % ×': number, 'run begins, ms': number, 'idle, ms': number, 'build ×': number }} Row */

const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms));

/** Measures how long `act` takes. @param {() => Promise<unknown>} act */
async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** Uses the platform as an ordinary account does. @param {Neighbour} neighbour */
async function measure(neighbour) {
  /** @type {number[]} */
  const lists = [];
  let isRest = false;
  const listing = (async () => {
    while (lists.length < CALLS || !isRest) {
      lists.push(await timed(() => neighbour.list()));
      await pause(PAUSE_MS);
    }
  })();
  const begins = [];
  for (let n = 0; n < RUNS; n++) {
    const startedAt = Date.now();
    begins.push((await neighbour.run()) - startedAt);
  }
  const builds = [];
  for (let n = 0; n < BUILDS; n++) builds.push(await timed(() => neighbour.build()));
  isRest = true;
  await listing;
  return {
    list: median(lists),
    'list, 99 %': percentile(lists, 0.99),
    'run begins, ms': Math.max(...begins),
    build: median(builds),
  };
}

/** Repeats the attacks, all from one account, until `isOver`. Returns the failures of attacks. */
async function attackUntil(
  /** @type {import('../../e2e/dist/neighbours/attacks.js').Attack[]} */ list,
  /** @type {Account} */ attacker,
  /** @type {() => boolean} */ isOver,
) {
  /** @type {Set<string>} */
  const failures = new Set();
  await Promise.all(
    list.map(async attack => {
      // Attacks from one account can be in each other's way: one may use up the quota of live runs of another.
      while (!isOver())
        await attack.run(attacker, true).catch(error => failures.add(`${attack.name}: ${error.message}`));
    }),
  );
  return failures;
}

const round = (/** @type {number} */ value) => Number(value.toFixed(value < 10 ? 2 : 0));

const trawl = await startTrawl({ env: { TRAWL_TRUSTED_PROXIES: '127.0.0.1' } });
const { dataDir, remove } = makeDataDir();
try {
  const { url } = trawl.trawl;
  const { call } = await apiOf(url, trawl.dataDir, 'admin');
  /** @type {import('../../e2e/dist/harness/platform-client.js').Api} */
  const admin = async (method, path, body) => ({
    status: 201,
    body: await call(method, path, /** @type {object} */ (body)),
  });
  const added = await call('POST', '/joint-api/workers/addnew', { name: 'bench', public: true });
  const worker = await startWorker({ url, key: added.key, dataDir });
  try {
    const neighbour = await Neighbour.open(await Account.open(url, added.id, admin));
    await measure(neighbour);
    /** @type {Row[]} */
    const table = [];
    for (const { name, attacks: list } of attacks) {
      const idle = await measure(neighbour);
      const attacker = await Account.open(url, added.id, admin, QUOTAS);
      let isOver = false;
      const attack = attackUntil(list, attacker, () => isOver);
      await pause(2_000);
      const busy = await measure(neighbour).finally(() => {
        isOver = true;
      });
      for (const failure of await attack) process.stderr.write(`${failure}\n`);
      const row = {
        attack: name,
        'list, idle ms': round(idle.list),
        'list ×': round(busy.list / idle.list),
        '99 % ×': round(busy['list, 99 %'] / idle['list, 99 %']),
        'run begins, ms': round(busy['run begins, ms']),
        'idle, ms': round(idle['run begins, ms']),
        'build ×': round(busy.build / idle.build),
      };
      table.push(row);
      process.stderr.write(`${JSON.stringify(row)}\n`);
    }
    console.table(table);
    const worst = (/** @type {'list ×' | '99 % ×' | 'run begins, ms' | 'build ×'} */ column) =>
      Math.max(...table.map(row => row[column]));
    console.log(
      JSON.stringify({
        bench: 'neighbours',
        ratio: worst('list ×'),
        goal: GOALS.list,
        list_99: { ratio: worst('99 % ×'), goal: GOALS['list, 99 %'] },
        build: { ratio: worst('build ×'), goal: GOALS.build },
        run_begins_ms: { ms: worst('run begins, ms'), goal: GOALS['run begins, ms'] },
      }),
    );
  } finally {
    await worker.stop();
  }
} finally {
  await trawl.stop();
  remove();
}
