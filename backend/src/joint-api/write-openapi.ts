/** `npm run openapi`: writes openapi.yaml; with `--check` it only says whether the file is still true. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapiYaml } from './openapi.js';

const file = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));
const yaml = await openapiYaml();

if (!process.argv.includes('--check')) {
  writeFileSync(file, yaml);
  process.stdout.write('openapi.yaml is written.\n');
} else if (readFileSync(file, 'utf8') !== yaml) {
  process.stderr.write('openapi.yaml is not what the backend serves. Write it anew: npm run openapi\n');
  process.exitCode = 1;
}
