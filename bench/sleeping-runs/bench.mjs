// @ts-check
// Time from the first start to the last end of 200 runs that sleep for 3 seconds, started at once by two accounts. Runs
// that wait need memory but no processor, so all of them should sleep at the same time. Before each round the machine is
// idle, so that the worker can park spare processes.
import { setTimeout as pause } from 'node:timers/promises';
import { apiOf, makeDataDir, median } from '../platform.mjs';
import { startTrawl } from '../servers.mjs';
import { startWorker } from '../worker.mjs';

const RUNS = Number(process.argv[2] ?? 200);
const ROUNDS = Number(process.argv[3] ?? 3);
const GOAL_MS = 8_000;
/** In this time a worker parks the most processes that it can have. */
const PAUSE_MS = 20_000;
const MAIN = `module.exports = async () => {
  const began = Date.now();
  await new Promise(resolve => setTimeout(resolve, 3_000));
  return began;
};\n`;

const trawl = await startTrawl({ env: { TRAWL_QUOTA_WAITING_RUNS: '0' } });
const { dataDir, remove } = makeDataDir();
try {
  const { url } = trawl.trawl;
  const accounts = await Promise.all([apiOf(url, trawl.dataDir, 'admin'), apiOf(url, trawl.dataDir, 'developer')]);
  const added = await accounts[0].call('POST', '/joint-api/workers/addnew', { name: 'bench', public: true });
  const worker = await startWorker({ url, key: added.key, dataDir });
  try {
    const starters = await Promise.all(accounts.map(({ call }) => starterOf(call)));
    await Promise.all(starters.map(start => start()));
    /** @type {Awaited<ReturnType<typeof sleepAtOnce>>[]} */
    const rounds = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await pause(PAUSE_MS);
      const measured = await sleepAtOnce(starters);
      rounds.push(measured);
      process.stderr.write(`round ${round} of ${ROUNDS}: ${JSON.stringify(measured)}\n`);
    }
    const totalMs = median(rounds.map(({ 'last end, ms': ms }) => ms));
    console.table(rounds);
    console.log(JSON.stringify({ bench: 'sleeping-runs', runs: RUNS, ratio: totalMs / GOAL_MS, goal: 1, ms: totalMs }));
  } finally {
    await worker.stop();
  }
} finally {
  await trawl.stop();
  remove();
}

/** Creates the skript of an account. Returns a function that runs it and resolves to the time when its code began. */
async function starterOf(/** @type {(method: string, path: string, body?: object) => Promise<any>} */ call) {
  const { id } = await call('POST', '/joint-api/skripts/addnew', { title: 'Sleeps' });
  await call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content: MAIN });
  await call('POST', `/joint-api/skripts/${id}/bundle`);
  const path = '/joint-api/execute-skript/single-worker/start?force=true';
  return async () => {
    const run = await call('POST', path, { worker_id: 'any', skript_id: id });
    if (run.action !== 'end') throw new Error(`A run ended with ${run.action}: ${run.error_stack}`);
    return Number(run.output);
  };
}

async function sleepAtOnce(/** @type {(() => Promise<number>)[]} */ starters) {
  const startedAt = Date.now();
  const runs = Array.from({ length: RUNS }, (_, index) => starters[index % starters.length]?.());
  const began = (await Promise.all(runs)).map(at => Number(at) - startedAt).sort((a, b) => a - b);
  return {
    'median begin, ms': median(began),
    'last begin, ms': Number(began.at(-1)),
    'last end, ms': Date.now() - startedAt,
  };
}
