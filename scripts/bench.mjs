// @ts-check
// `npm run bench -- NAME` runs bench.mjs in bench/<NAME>, and `npm run bench -- all` all of them; without a name it
// lists the benchmarks.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { runAll } from './bench/all.mjs';
import { fromRoot } from './common/paths.mjs';
import { explain } from './common/problem.mjs';
import { errorLine } from './common/terminal.mjs';

const [name, ...args] = process.argv.slice(2);
const names = readdirSync(fromRoot('bench')).filter(folder => existsSync(fromRoot('bench', folder, 'bench.mjs')));

if (!name) {
  console.log(`npm run bench -- NAME, with "all" or one of:\n  ${names.join('\n  ')}`);
} else if (name === 'all') {
  try {
    process.exitCode = (await runAll(names, args)) ? 0 : 1;
  } catch (error) {
    errorLine(explain(error));
    process.exitCode = 1;
  }
} else if (!names.includes(name)) {
  console.error(`There is no benchmark "${name}". There are: ${names.join(', ')}.`);
  process.exitCode = 1;
} else {
  const child = spawn(process.execPath, [fromRoot('bench', name, 'bench.mjs'), ...args], { stdio: 'inherit' });
  child.on('exit', code => {
    process.exitCode = code ?? 1;
  });
}
