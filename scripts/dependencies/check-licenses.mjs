// @ts-check
// Part of `npm run lint`: every dependency must have an allowed licence. With `--list`, prints all as CSV.
import { readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';
import { dependenciesOf, refusalOf } from './licenses.mjs';

const dependencies = dependenciesOf(JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8')));

if (process.argv.includes('--list')) {
  console.log('name,version,license,only_development');
  for (const { name, version, license, isDev } of dependencies) console.log([name, version, license, isDev].join());
} else {
  const refused = dependencies.flatMap(dependency => refusalOf(dependency) ?? []);
  for (const line of refused) console.error(line);
  if (refused.length > 0) {
    console.error('The lists are in scripts/dependencies/allowed-licenses.mjs.');
    process.exitCode = 1;
  } else console.log(`All ${dependencies.length} dependencies have an allowed licence.`);
}
