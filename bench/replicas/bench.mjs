// @ts-check
// Calls to backend B while the worker is connected to backend A. The baseline is the same call to A. Live echoes between
// backends need Redis: the server at REDIS_URL, or one that this benchmark starts.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { RedisServer } from '@trawl/embedded/debian-server';
import { io } from 'socket.io-client';
import { apiRuns } from '../load.mjs';
import { apiOf, freePort, median } from '../platform.mjs';
import { addWorker, startTrawl } from '../servers.mjs';

const ROUNDS = 3;
const STARTS = 20;
const PAUSES = 10;
const SECONDS = 5;
const CLIENTS = 8;
const ECHOES = 40;

const EMPTY = 'module.exports = () => 1;\n';
const WAITS = 'module.exports = () => new Promise(done => setTimeout(done, 600_000));\n';
const ECHOING = `const { echo } = require('@trawl/echo');
module.exports = async () => {
  await new Promise(done => setTimeout(done, 3_000));
  for (let n = 0; n < ${ECHOES}; n += 1) {
    echo.log(String(Date.now()));
    await new Promise(done => setTimeout(done, 50));
  }
};`;

/** @typedef {Awaited<ReturnType<typeof apiOf>> & { url: string }} Backend */

/** @param {Backend} backend @param {string} skriptId @returns {Promise<number>} median of start and answer, in ms */
async function startAndAnswer({ call }, skriptId) {
  const times = [];
  for (let n = 0; n < STARTS; n++) {
    const began = performance.now();
    const run = await call('POST', `${START}?force=true`, { worker_id: 'any', skript_id: skriptId });
    if (run.action !== 'end') throw new Error(`A run did not end: ${JSON.stringify(run)}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

const START = '/joint-api/execute-skript/single-worker/start';

/** Pauses and resumes a run. @param {Backend} backend @param {string} id @returns {Promise<number>} median of a pause, in ms */
async function pauses({ call }, id) {
  const times = [];
  for (let n = 0; n < PAUSES; n++) {
    const began = performance.now();
    let [run] = await call('POST', `/joint-api/skript-execution/${id}/pause`);
    while (run.action !== 'pause') run = await call('GET', `/joint-api/skript-execution/${id}`);
    times.push(performance.now() - began);
    let [resumed] = await call('POST', `/joint-api/skript-execution/${id}/resume`);
    while (resumed.action !== 'start') resumed = await call('GET', `/joint-api/skript-execution/${id}`);
  }
  return median(times);
}

/** @param {Backend} backend */
async function viewerOf({ url, token }) {
  const socket = io(url + LIVE_NAMESPACE, { transports: ['websocket'], auth: { token }, forceNew: true });
  await once(/** @type {any} */ (socket), 'connect');
  return socket;
}

/**
 * Which `execution` updates of a run a viewer gets.
 * @param {Backend} viewed @param {Backend} started @param {string} skriptId
 * @returns {Promise<string>}
 */
async function updates(viewed, started, skriptId) {
  const socket = await viewerOf(viewed);
  // A viewer gets the updates of all runs, also late ones of earlier runs.
  /** @type {Map<string, string[]>} */
  const seen = new Map();
  socket.on('execution', ({ id, action, waiting_for }) => {
    const texts = seen.get(id) ?? [];
    const text = waiting_for ? `${action} (${waiting_for.reason})` : action;
    if (texts.at(-1) !== text) texts.push(text);
    seen.set(id, texts);
  });
  const { id } = await started.call('POST', `${START}?force=true`, { worker_id: 'any', skript_id: skriptId });
  for (let looks = 0; looks < 100 && seen.get(id)?.at(-1) !== 'end'; looks += 1) await delay(50);
  socket.disconnect();
  return (seen.get(id) ?? []).join(', ');
}

/**
 * Watches a run that echoes the time. The clock is that of this machine, so the differences are the delays.
 * @param {Backend} viewed @param {Backend} started @param {string} skriptId
 */
async function echoes(viewed, started, skriptId) {
  const socket = await viewerOf(viewed);
  /** @type {number[]} */
  const delays = [];
  let ended = () => {};
  const over = new Promise(resolve => {
    ended = () => resolve(undefined);
  });
  socket.on('echoes', ({ items }) => {
    for (const { msg } of items) delays.push(Date.now() - Number(msg));
    if (delays.length === ECHOES) ended();
  });
  const { id } = await started.call('POST', `${START}?force=true&wait_ms=0`, { worker_id: 'any', skript_id: skriptId });
  const answer = await socket.emitWithAck('watch', { execution_id: id, on: true });
  await Promise.race([over, new Promise(resolve => setTimeout(resolve, 10_000))]);
  socket.disconnect();
  return { seen: delays.length, slowest: Math.max(0, ...delays), answer };
}

const redis = new RedisServer(await freePort());
await redis.start();
const env = { REDIS_URL: process.env.REDIS_URL ?? redis.url };
const trawl = await startTrawl({ env });
try {
  await addWorker(trawl);
  const second = await trawl.addBackend(env);
  const backendAt = async (/** @type {string} */ url) => ({ url, ...(await apiOf(url, trawl.dataDir, 'developer')) });
  const a = await backendAt(trawl.trawl.url);
  const b = await backendAt(second.url);
  const skriptOf = async (/** @type {string} */ content, /** @type {object} */ fields) => {
    const { id } = await a.call('POST', '/joint-api/skripts/addnew', fields);
    await a.call('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'main.js', content });
    await a.call('POST', `/joint-api/skripts/${id}/bundle`);
    return String(id);
  };
  const warm = await skriptOf(EMPTY, { title: 'Warm', warm: true });
  for (const backend of [a, b]) await apiRuns(backend.url, backend.token, warm)(CLIENTS, SECONDS); // warm-up

  /** @type {Record<'start' | 'rate', Record<'a' | 'b', number[]>>} */
  const seen = { start: { a: [], b: [] }, rate: { a: [], b: [] } };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, backend] of /** @type {const} */ ([
      ['a', a],
      ['b', b],
    ])) {
      seen.start[name].push(await startAndAnswer(backend, warm));
      seen.rate[name].push(await apiRuns(backend.url, backend.token, warm)(CLIENTS, SECONDS));
    }
  }
  const waiting = await a.call('POST', `${START}?wait_ms=0`, {
    worker_id: 'any',
    skript_id: await skriptOf(WAITS, { title: 'Waits' }),
  });
  const pause = { a: await pauses(a, waiting.id), b: await pauses(b, waiting.id) };
  await a.call('POST', `/joint-api/skript-execution/${waiting.id}/stop`);
  // Its slot must be free again, or the next run would wait for it.
  while ((await a.call('GET', `/joint-api/skript-execution/${waiting.id}`)).action !== 'stop');
  const update = { a: await updates(a, a, warm), b: await updates(b, a, warm), started: await updates(b, b, warm) };
  const echoing = await skriptOf(ECHOING, { title: 'Echoes' });
  const live = { a: await echoes(a, a, echoing), b: await echoes(b, b, echoing) };

  const [startA, startB] = [median(seen.start.a), median(seen.start.b)];
  const [rateA, rateB] = [median(seen.rate.a), median(seen.rate.b)];
  const round = (/** @type {number} */ value) => Number(value.toFixed(1));
  console.table([
    { what: 'start and answer, ms', A: round(startA), B: round(startB), ratio: round(startB / startA), goal: '≤ 3' },
    { what: 'warm runs/s, 8 clients', A: round(rateA), B: round(rateB), ratio: round(rateB / rateA), goal: '≥ 0.7' },
    { what: 'pause, ms', A: round(pause.a), B: round(pause.b), ratio: round(pause.b / pause.a), goal: '< 150 ms' },
    { what: 'updates to viewers', A: update.a, B: `${update.b}; started there: ${update.started}`, goal: 'the same' },
    {
      what: 'live echoes',
      A: `${live.a.seen} of ${ECHOES}, ≤ ${live.a.slowest} ms`,
      B: `${live.b.seen} of ${ECHOES}, ≤ ${live.b.slowest} ms; ${JSON.stringify(live.b.answer)}`,
      goal: 'all, ≤ 200 ms',
    },
  ]);
  console.log(
    JSON.stringify({
      bench: 'replicas',
      ratio: Number((rateB / rateA).toFixed(2)),
      goal: 0.7,
      better: 'higher',
      start: { ratio: Number((startB / startA).toFixed(2)), goal: 3 },
      pause_ms: { value: Math.round(pause.b), goal: 150 },
      echoes: { seen: live.b.seen, of: ECHOES, slowest_ms: live.b.slowest },
    }),
  );
} finally {
  await trawl.stop();
  await redis.stop();
}
