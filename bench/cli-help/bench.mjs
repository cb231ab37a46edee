// @ts-check
// Time of `trawl --help`, from the start of the process to its end. Baseline: `node -e 0`. Goal: at most 1.5 times as
// long.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../platform.mjs';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/dist/trawl.js', import.meta.url));
const WARM_UP_ROUNDS = 3;
const ROUNDS = 41;
const GOAL = 1.5;

/** @param {string[]} args */
function timeOf(args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed. Run npm run build first. ${stderr}`);
  return performance.now() - start;
}

/** @type {Record<string, { args: string[], times: number[] }>} */
const programs = {
  'node -e 0': { args: ['-e', '0'], times: [] },
  'trawl --help': { args: [PROGRAM, '--help'], times: [] },
};
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
  for (const { args, times } of Object.values(programs)) {
    const time = timeOf(args);
    if (round >= 0) times.push(time);
  }
}
console.table(
  Object.entries(programs).map(([program, { times }]) => ({
    program,
    'median (ms)': Number(median(times).toFixed(1)),
  })),
);
const [bare = 0, help = 0] = Object.values(programs).map(({ times }) => median(times));
console.log(JSON.stringify({ bench: 'cli-help', ratio: Number((help / bare).toFixed(3)), goal: GOAL }));
