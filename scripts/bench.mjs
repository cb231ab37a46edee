// @ts-check
// `npm run bench -- NAME` runs bench.mjs in bench/<NAME>; without a name it lists the benchmarks.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fromRoot } from './common/paths.mjs';

const [name, ...args] = process.argv.slice(2);
const names = existsSync(fromRoot('bench'))
  ? readdirSync(fromRoot('bench')).filter(folder => existsSync(fromRoot('bench', folder, 'bench.mjs')))
  : [];

if (!name) {
  console.log(
    names.length > 0 ? `npm run bench -- NAME, with one of:\n  ${names.join('\n  ')}` : 'There is no benchmark yet.',
  );
} else if (!names.includes(name)) {
  console.error(`There is no benchmark "${name}". There are: ${names.join(', ') || 'none'}.`);
  process.exitCode = 1;
} else {
  const child = spawn(process.execPath, [fromRoot('bench', name, 'bench.mjs'), ...args], { stdio: 'inherit' });
  child.on('exit', code => {
    process.exitCode = code ?? 1;
  });
}
