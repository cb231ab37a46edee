// @ts-check
// Runs a second of a function that returns its input, called over HTTP by 8 clients: Trawl's warm runs beside n8n, Node-RED
// and Parse Server. Baseline: n8n, which also runs all calls in one process and records each in PostgreSQL. The tables also
// have fresh runs, the same function with 100 log lines, the start, the idle memory and the size of the installation.
// `--publish` writes the figures into the documentation.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cacheDir, startEmbedded } from '@trawl/embedded';
import autocannon from 'autocannon';
import { apiOf, makeDataDir, median, startPlatform } from '../platform.mjs';
import { publish } from '../publish.mjs';
import { memoryOf, sizeOf, sizeOfTrawl } from './footprint.mjs';
import { JOBS, n8n, nodeRed, parseServer } from './servers.mjs';

/** @typedef {import('./servers.mjs').Call} Call */
/** @typedef {import('./servers.mjs').Job} Job */
/** @typedef {{ name: string, call: (job: Job, input: object) => Call }} Callable */

const GOAL = 3;
const STARTS = 3;
const ROUNDS = 3;
const SECONDS = 5;
const CLIENTS = 8;
const SINGLE_CALLS = 50;
const SETTLE_MS = 10_000;
const ANSWER_WITHIN_MS = 120_000;
const INPUT = { id: 7, name: 'input' };
const CODE = {
  echo: 'module.exports = async input => input;\n',
  log: `const { echo } = require('@trawl/echo');
module.exports = async input => {
  for (let n = 0; n < 100; n++) echo.log(\`line \${n}\`);
  return input;
};\n`,
};

/** @param {Call} call @returns {Promise<boolean>} whether the function returned its input */
async function isAnswered({ url, headers, body, outputOf }) {
  try {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.ok && JSON.stringify(outputOf(await response.json())) === JSON.stringify(INPUT);
  } catch {
    return false; // The server does not listen yet.
  }
}

/** Waits for the first right answer. @param {Callable} server */
async function firstAnswer({ name, call }) {
  const until = performance.now() + ANSWER_WITHIN_MS;
  while (!(await isAnswered(call('echo', INPUT)))) {
    if (performance.now() > until) throw new Error(`${name} did not return the input of its function.`);
    await delay(20);
  }
}

/**
 * Starts a server several times. The last one stays.
 * @param {Callable & { start: () => Promise<{ pid: number, stop: () => Promise<void> }> }} server
 */
async function startsOf(server) {
  const times = [];
  let running;
  for (let n = 0; n < STARTS; n++) {
    await running?.stop();
    const began = performance.now();
    running = await server.start();
    await firstAnswer(server);
    times.push(performance.now() - began);
  }
  if (!running) throw new Error(`${server.name} was not started.`);
  await delay(SETTLE_MS);
  return { ...running, readyS: (median(times) / 1_000).toFixed(1), memory: memoryOf(running.pid) };
}

/** @param {Callable} server @param {Job} job @returns {Promise<number>} median of calls one after the other, in ms */
async function singleCalls({ name, call }, job) {
  const times = [];
  for (let n = 0; n < SINGLE_CALLS; n++) {
    const began = performance.now();
    if (!(await isAnswered(call(job, INPUT)))) throw new Error(`${name}: a call did not return the input.`);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** @param {Callable} server @param {Job} job @returns {Promise<number>} calls a second */
async function rate({ name, call }, job) {
  const { url, headers, body, outputOf } = call(job, INPUT);
  const result = await autocannon({
    url,
    headers,
    method: 'POST',
    body: JSON.stringify(body),
    connections: CLIENTS,
    duration: SECONDS,
    verifyBody: answer => JSON.stringify(outputOf(JSON.parse(String(answer)))) === JSON.stringify(INPUT),
  });
  const bad = result.non2xx + result.errors + result.mismatches;
  if (bad > 0) throw new Error(`${name}: ${bad} calls did not return the input.`);
  return result['2xx'] / result.duration;
}

/**
 * The product as `npm start` gives it, with a skript for each job, once fresh and once warm.
 * @param {(() => unknown)[]} stops
 */
async function trawl(stops) {
  const { dataDir, remove } = makeDataDir();
  stops.push(remove);
  let url = '';
  let headers = {};
  const start = async () => {
    const platform = await startPlatform(dataDir);
    url = platform.url;
    const { token } = await apiOf(url, dataDir, 'developer');
    headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    return platform;
  };
  const first = await start();
  const { call } = await apiOf(url, dataDir, 'developer');
  /** @type {Record<string, string>} */
  const skripts = {};
  for (const job of JOBS) {
    for (const warm of [false, true]) {
      const { id } = await call('POST', '/joint-api/skripts/addnew', { title: `${job}, warm: ${warm}`, warm });
      await call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content: CODE[job] });
      await call('POST', `/joint-api/skripts/${id}/bundle`);
      skripts[`${job} ${warm}`] = id;
    }
  }
  await first.stop();
  /** @param {boolean} warm @returns {Callable} */
  const callable = warm => ({
    name: `Trawl, ${warm ? 'warm' : 'fresh'} runs`,
    call: (job, input) => ({
      url: `${url}/joint-api/execute-skript/single-worker/start?force=true`,
      headers,
      body: { worker_id: 'any', skript_id: skripts[`${job} ${warm}`], input },
      outputOf: run => (run.action === 'end' ? run.output : run),
    }),
  });
  return { fresh: { ...callable(false), start }, warm: callable(true) };
}

const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } });

/** @type {(() => unknown)[]} */
const stops = [];
try {
  const { dataDir, remove } = makeDataDir();
  stops.push(remove);
  const databases = await startEmbedded({ dataDir, cacheDir: cacheDir(), onProgress: console.error });
  stops.push(() => databases.stop());
  const ours = await trawl(stops);
  const peers = [
    await n8n(databases.postgresUrl, stops),
    await nodeRed(stops),
    await parseServer(databases.postgresUrl, stops),
  ];
  /** @type {Record<string, string | number>[]} */
  const footprints = [];
  for (const server of [ours.fresh, ...peers]) {
    const { readyS, memory, stop } = await startsOf(server);
    stops.push(stop);
    const size =
      'folder' in server ? { all: sizeOf([`${server.folder}/node_modules`]), production: undefined } : sizeOfTrawl();
    footprints.push({
      server: server.name.replace(/,.*/, ''),
      'start to first answer (s)': readyS,
      'idle memory (MB)': memory.own,
      'its databases (MB)': memory.databases || '',
      'installed (MB)': size.all,
      'without build and test packages': size.production ?? '',
    });
    process.stderr.write(`${JSON.stringify(footprints.at(-1))}\n`);
  }

  const servers = [ours.warm, ours.fresh, ...peers];
  /** @type {Record<string, number[]>} */
  const rates = {};
  /** @type {Record<string, number[]>} */
  const times = {};
  // The first round is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const job of JOBS) {
      for (const server of servers) {
        const key = `${server.name} ${job}`;
        const [ms, perSecond] = [await singleCalls(server, job), await rate(server, job)];
        if (round === 0) continue;
        times[key] = [...(times[key] ?? []), ms];
        rates[key] = [...(rates[key] ?? []), perSecond];
        process.stderr.write(`round ${round} of ${ROUNDS}, ${key}: ${ms.toFixed(1)} ms, ${Math.round(perSecond)}/s\n`);
      }
    }
  }
  const msOf = (/** @type {string} */ key) => Number(median(times[key] ?? []).toFixed(1));
  const rateOf = (/** @type {string} */ key) => Math.round(median(rates[key] ?? []));
  const calls = servers.map(({ name }) => ({
    server: name,
    'one client (ms)': msOf(`${name} echo`),
    [`${CLIENTS} clients (calls/s)`]: rateOf(`${name} echo`),
    'one client, 100 lines (ms)': msOf(`${name} log`),
    [`${CLIENTS} clients, 100 lines (calls/s)`]: rateOf(`${name} log`),
  }));
  if (values.publish) publish('peers', { footprints, calls });
  console.table(footprints);
  console.table(calls);
  const ratio = Number((rateOf(`${ours.warm.name} echo`) / rateOf(`${peers[0]?.name} echo`)).toFixed(2));
  console.log(JSON.stringify({ bench: 'peers', ratio, goal: GOAL, better: 'higher' }));
} finally {
  for (const stop of stops.reverse()) await stop();
}
