// @ts-check
// Functions per second of a flow that runs 10,000 functions in series. Baseline: a hand-written `for await` loop over
// the same functions. Both are measured with plain and with async functions; the ratio is that of the slower kind.
import { FunctionFlow } from '@trawl/functionflow';
import { median } from '../platform.mjs';

const FUNCTIONS = 10_000;
const WARM_UP_ROUNDS = 50;
const ROUNDS = 300;
const GOAL = 0.8;

/** @typedef {((x: number) => number | Promise<number>)[]} Functions */

/** @type {Record<string, Functions>} */
const kinds = {
  plain: Array.from({ length: FUNCTIONS }, () => (/** @type {number} */ x) => x + 1),
  async: Array.from({ length: FUNCTIONS }, () => async (/** @type {number} */ x) => x + 1),
};

/** @type {Record<'flow' | 'for await', (functions: Functions) => Promise<number>>} */
const runners = {
  flow: async functions => {
    /** @type {FunctionFlow<number>} */
    const flow = new FunctionFlow();
    flow.xInject(0);
    return flow.serial(functions);
  },
  'for await': async functions => {
    let x = 0;
    for await (const run of functions) x = await run(x);
    return x;
  },
};

/**
 * Measures both runners in turn, so that other load on the machine slows both of them.
 * @param {Functions} functions
 */
async function ratioOf(functions) {
  /** @type {Record<keyof typeof runners, number[]>} */
  const times = { flow: [], 'for await': [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const name of /** @type {(keyof typeof runners)[]} */ (Object.keys(runners))) {
      const began = performance.now();
      if ((await runners[name](functions)) !== FUNCTIONS) throw new Error(`${name} did not run all functions`);
      if (round >= 0) times[name].push(performance.now() - began);
    }
  }
  return { flow: median(times.flow), 'for await': median(times['for await']) };
}

const nanoseconds = (/** @type {number} */ ms) => Math.round((ms * 1e6) / FUNCTIONS);
const ratios = [];
const rows = [];
for (const [kind, functions] of Object.entries(kinds)) {
  const ms = await ratioOf(functions);
  ratios.push(ms['for await'] / ms.flow);
  rows.push({
    functions: kind,
    'flow (ns each)': nanoseconds(ms.flow),
    'for await (ns each)': nanoseconds(ms['for await']),
    ratio: Number((ms['for await'] / ms.flow).toFixed(2)),
  });
}
console.table(rows);
const ratio = Number(Math.min(...ratios).toFixed(2));
console.log(JSON.stringify({ bench: 'functionflow', ratio, goal: GOAL, better: 'higher' }));
