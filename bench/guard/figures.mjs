// @ts-check
// What the guard measures. Each measurement takes a few seconds and returns one or more figures.
import { setTimeout as delay } from 'node:timers/promises';
import { watch } from '../echoes/flood.mjs';
import { apiRuns, requestsPerSecond } from '../load.mjs';
import { median, percentile } from '../platform.mjs';
import { ECHOES } from './side.mjs';

/** @typedef {import('./side.mjs').Side} Side */

const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const CALLS = 150;
/** So that a parked process is ready for each of these calls. */
const PACED_CALLS = 30;
const PACE_MS = 150;

/**
 * Names of figures end with their unit: "(ms)" is better if it is lower, "a second" if it is higher.
 * @type {Record<string, (side: Side, site: string) => Promise<Record<string, number>>>}
 */
export const MEASUREMENTS = {
  fresh: async ({ url, token, skripts }) => ({
    'fresh runs a second, 4 clients': await apiRuns(url, token, String(skripts.fresh))(4, SECONDS),
  }),
  warm: async ({ url, token, skripts }) => {
    /** @param {string} title */
    const runsOf = async title => {
      const runs = apiRuns(url, token, String(skripts[title]));
      // Starts the processes, which have ended since the last round, and lets Node compile what it executes often.
      await runs(8, WARM_UP_SECONDS);
      return runs(8, SECONDS);
    };
    return {
      'warm runs a second, 8 clients': await runsOf('warm'),
      'warm runs with an echo a second, 8 clients': await runsOf('echo'),
    };
  },
  answer: async ({ run }) => {
    /** @param {number} calls @param {number} pauseMs */
    const timesOf = async (calls, pauseMs) => {
      /** @type {number[]} */
      const times = [];
      for (let call = 0; call < calls; call++) {
        await delay(pauseMs);
        const beganAt = performance.now();
        await run('fresh', call);
        times.push(performance.now() - beganAt);
      }
      return times;
    };
    const paced = await timesOf(PACED_CALLS, PACE_MS);
    // Back to back, some calls find a parked process and others wait for one, so the median jumps between the two.
    const times = await timesOf(CALLS, 0);
    return {
      'start to answer, paced, median (ms)': median(paced),
      'start to answer, back to back, mean (ms)': times.reduce((sum, ms) => sum + ms) / times.length,
      'start to answer, back to back, 99th percentile (ms)': percentile(times, 0.99),
    };
  },
  echoes: async ({ url, token, call, skripts }) => {
    const path = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
    const { id } = await call('POST', path, { worker_id: 'any', skript_id: skripts.flood });
    const { echoes, gaps, seconds } = await watch({ url, token }, id, false);
    if (echoes !== ECHOES || gaps > 0) throw new Error(`${echoes} of ${ECHOES} echoes arrived, with ${gaps} gaps`);
    return { 'echoes a second, to a live view': echoes / seconds };
  },
  list: async ({ url, headers }) => ({
    'lists of skripts a second': await requestsPerSecond(
      'list',
      { url: `${url}/joint-api/skripts/list?limit=50`, headers },
      SECONDS,
    ),
  }),
  create: async ({ url, headers, listed }) => {
    // Each skript gets few inputs, because their number is limited. Names are new in each round.
    let count = Date.now() * 1_000;
    const body = () => {
      count += 1;
      return JSON.stringify({
        skript_id: listed[count % listed.length],
        name: `input-${count}.json`,
        val: { pages: 20 },
      });
    };
    const target = { url: `${url}/joint-api/inputs/addnew`, method: /** @type {const} */ ('POST'), headers, body };
    return { 'inputs created a second': await requestsPerSecond('create', target, SECONDS) };
  },
  store: async ({ run }) => {
    const { insertMs, readMs } = await run('store');
    return { 'storing 50,000 documents (ms)': insertMs, 'reading 50,000 documents (ms)': readMs };
  },
  crawl: async ({ run }, site) => {
    const beganAt = performance.now();
    await run('crawl', { start: `http://${site}/index.html` });
    return { 'crawl of 1,167 pages (ms)': performance.now() - beganAt };
  },
};

/**
 * Returns how many times worse the new figure is: 1.1 means 10 % worse.
 * @param {string} figure its name @param {number} release @param {number} now
 */
export const timesWorse = (figure, release, now) => (figure.endsWith('(ms)') ? now / release : release / now);
