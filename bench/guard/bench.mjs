// @ts-check
// The hot paths of the working tree beside the last release, both running at once and measured in turns. A figure that
// is more than 10 % worse is measured again; if it is worse again, the benchmark fails. It takes ten minutes if nothing else
// runs on the machine.
//     npm run bench -- guard [--release COMMIT] [--rounds 6] [NAME …]
import { execFile } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { documentation } from '../crawl/debian.mjs';
import { bareEnvironment, median } from '../platform.mjs';
import { startProcess } from '../servers.mjs';
import { MEASUREMENTS, timesWorse } from './figures.mjs';
import { builtCheckout, lastRelease } from './release.mjs';
import { startSide } from './side.mjs';

/** A figure may be this many times worse. */
const GOAL = 1.1;
/** The machine is quiet if its processors were idle for this share of a pause. */
const QUIET_SHARE = 0.9;
const QUIET_PAUSE_MS = 500;
const MAX_QUIET_PAUSES = 40;
const SITE = fileURLToPath(new URL('../crawl/site.mjs', import.meta.url));
const WORKING_TREE = fileURLToPath(new URL('../..', import.meta.url));

const { values, positionals } = parseArgs({
  options: {
    release: { type: 'string', default: lastRelease() },
    rounds: { type: 'string', default: '6' },
  },
  allowPositionals: true,
});
const unknown = positionals.find(name => !MEASUREMENTS[name]);
if (unknown)
  throw new Error(`There is no measurement "${unknown}". There are: ${Object.keys(MEASUREMENTS).join(', ')}.`);
const names = positionals.length > 0 ? positionals : Object.keys(MEASUREMENTS);

/** @typedef {{ measurement: string, release: number[], now: number[] }} Figure values of each round, of both sides */

/** @type {(() => unknown)[]} */
const stops = [];
try {
  const release = await builtCheckout(values.release);
  const { value: port } = await startProcess(SITE, [await documentation()], {}, stops);
  const site = `127.0.0.1:${port}`;
  const sides = {
    release: await started(release.folder, site),
    now: await started(WORKING_TREE, site),
  };

  /**
   * @param {string[]} chosen @param {number} rounds
   * @returns {Promise<Map<string, Figure>>} by the figure's name
   */
  const measure = async (chosen, rounds) => {
    /** @type {Map<string, Figure>} */
    const figures = new Map();
    // The first round warms up both sides.
    for (let round = 0; round <= rounds; round++) {
      for (const name of chosen) {
        // The side that is measured first changes each round, so the number of rounds should be even.
        for (const side of round % 2
          ? /** @type {const} */ (['release', 'now'])
          : /** @type {const} */ (['now', 'release'])) {
          await untilQuiet();
          const measured = await MEASUREMENTS[name]?.(sides[side], site);
          for (const [figure, value] of Object.entries(measured ?? {})) {
            process.stderr.write(`round ${round} of ${rounds}, ${side}: ${figure}: ${value.toFixed(1)}\n`);
            if (round === 0) continue;
            const values = figures.get(figure) ?? { measurement: name, release: [], now: [] };
            values[side].push(value);
            figures.set(figure, values);
          }
        }
      }
    }
    return figures;
  };

  const rounds = Number(values.rounds);
  const first = await measure(names, rounds);
  const worse = [...first].filter(([name, figure]) => costOf(name, figure) > GOAL);
  const again = names.filter(name => worse.some(([, { measurement }]) => measurement === name));
  if (again.length > 0) process.stderr.write(`More than 10 % worse, so measured again: ${again.join(', ')}\n`);
  const second = await measure(again, again.length > 0 ? rounds : 0);

  const rows = [...first].map(([name, figure]) => {
    const cost = costOf(name, figure);
    const repeated = cost > GOAL ? second.get(name) : undefined;
    const repeatedCost = repeated && costOf(name, repeated);
    return { name, figure, cost, repeatedCost, lowest: Math.min(cost, repeatedCost ?? cost) };
  });
  console.log(`node -e 0 takes ${rounded(await startOfNode())} ms here. A cost above 1 is worse.`);
  console.table(
    rows.map(({ name, figure, cost, repeatedCost, lowest }) => ({
      figure: name,
      [release.commit]: rounded(median(figure.release)),
      now: rounded(median(figure.now)),
      cost: rounded(cost),
      repeated: repeatedCost ? rounded(repeatedCost) : '',
      '': lowest > GOAL ? 'red' : '',
    })),
  );
  const ratio = rounded(Math.max(...rows.map(({ lowest }) => lowest)));
  console.log(JSON.stringify({ bench: 'guard', ratio, goal: GOAL, release: release.commit }));
  if (ratio > GOAL) process.exitCode = 1;
} finally {
  for (const stop of stops.reverse()) await stop();
}

/** @param {string} checkout @param {string} site */
async function started(checkout, site) {
  const side = await startSide(checkout, site);
  stops.push(side.stop);
  return side;
}

/**
 * Returns how many times worse a figure is than that of the release: the median over the rounds, so that a change of
 * the machine's load during the measurement matters little.
 * @param {string} name @param {Figure} figure
 */
function costOf(name, { release, now }) {
  return median(release.map((value, round) => timesWorse(name, value, Number(now[round]))));
}

/** Waits until neither side works on what the last measurement left, such as new processes for the next runs. */
async function untilQuiet() {
  for (let pauses = 0; pauses < MAX_QUIET_PAUSES; pauses++) {
    const before = processorTimes();
    await delay(QUIET_PAUSE_MS);
    const after = processorTimes();
    if (after.idle - before.idle > QUIET_SHARE * (after.all - before.all)) return;
  }
}

/** Processor time since the start of the machine, in ms. */
function processorTimes() {
  const times = cpus().map(({ times }) => times);
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap(each => Object.values(each))) };
}

async function startOfNode() {
  const times = [];
  for (let start = 0; start < 20; start++) {
    const beganAt = performance.now();
    await promisify(execFile)(process.execPath, ['-e', '0'], { env: bareEnvironment });
    times.push(performance.now() - beganAt);
  }
  return median(times);
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(3));
}
