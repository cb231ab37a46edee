// @ts-check
// `npm run bench -- NAME` runs bench.mjs in bench/<NAME>, and `npm run bench -- all` all of them; without a name it
// lists the benchmarks.
import { existsSync, readdirSync } from 'node:fs';
import { runAll } from './bench/all.mjs';
import { runBenchmark } from './bench/benchmark.mjs';
import { fromRoot } from './common/paths.mjs';
import { explain, Problem } from './common/problem.mjs';
import { errorLine } from './common/terminal.mjs';

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(fromRoot('bench')).filter(folder => existsSync(fromRoot('bench', folder, 'bench.mjs')));

try {
  process.exitCode = await main();
} catch (error) {
  errorLine(explain(error));
  process.exitCode = 1;
}

/** @returns {Promise<number>} exit code */
async function main() {
  if (!name) {
    console.log(`npm run bench -- NAME, with "all" or one of:\n  ${names.join('\n  ')}`);
    return 0;
  }
  if (name === 'all') return (await runAll(names, args)) ? 0 : 1;
  if (!names.includes(name)) {
    throw new Problem(`There is no benchmark "${name}". There are: ${names.join(', ')}.`);
  }
  const { code } = await runBenchmark(fromRoot('bench', name, 'bench.mjs'), args, { stdio: 'inherit' });
  return code;
}
