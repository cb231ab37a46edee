// @ts-check
// Time from the first start to the last end of 200 runs that sleep for 3 seconds, started at once by two accounts. Runs
// that wait need memory but no processor, so all of them should sleep at the same time. Before each round the machine is
// idle, so that the worker can park spare processes. Baseline: 200 processes of Node that sleep for 3 seconds, started
// at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { apiOf, bareEnvironment, median, RUN_NODE } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const RUNS = Number(process.argv[2] ?? 200);
const ROUNDS = Number(process.argv[3] ?? 3);
/** Highest allowed time, as a multiple of the time of the baseline. */
const GOAL = 1.3;
/** In this time a worker parks the most processes that it can have. */
const PAUSE_MS = 20_000;
const MAIN = `module.exports = async () => {
  const began = Date.now();
  await new Promise(resolve => setTimeout(resolve, 3_000));
  return began;
};\n`;

const trawl = await startTrawl({ env: { TRAWL_QUOTA_WAITING_RUNS: '0' } });
try {
  const { url } = trawl.trawl;
  const accounts = await Promise.all([apiOf(url, trawl.dataDir, 'admin'), apiOf(url, trawl.dataDir, 'developer')]);
  await addWorker(trawl);
  const starters = await Promise.all(accounts.map(({ call }) => starterOf(call)));
  await Promise.all(starters.map(start => start()));
  /** @type {(Awaited<ReturnType<typeof sleepAtOnce>> & { 'bare processes, ms': number })[]} */
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await pause(PAUSE_MS);
    const bareMs = await bareAtOnce();
    await pause(PAUSE_MS);
    const measured = { ...(await sleepAtOnce(starters)), 'bare processes, ms': bareMs };
    rounds.push(measured);
    process.stderr.write(`round ${round} of ${ROUNDS}: ${JSON.stringify(measured)}\n`);
  }
  const ratios = rounds.map(round => round['last end, ms'] / round['bare processes, ms']);
  const ratio = Number(median(ratios).toFixed(2));
  console.table(rounds);
  console.log(JSON.stringify({ bench: 'sleeping-runs', runs: RUNS, ratio, goal: GOAL }));
} finally {
  await trawl.stop();
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

/** Starts as many bare processes at once. @returns {Promise<number>} the time until all have ended, in ms */
async function bareAtOnce() {
  const began = performance.now();
  const args = ['-e', 'setTimeout(() => {}, 3_000)'];
  const all = Array.from({ length: RUNS }, () => once(spawn(RUN_NODE, args, { env: bareEnvironment }), 'exit'));
  await Promise.all(all);
  return Math.round(performance.now() - began);
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
