/** `npm run openapi`: writes openapi.yaml. With `--check`, only verifies that the file is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapiYaml } from './openapi.js';

const file = fileURLToPath(new URL('../../../../openapi.yaml', import.meta.url));
const yaml = await openapiYaml();

if (!process.argv.includes('--check')) {
  writeFileSync(file, yaml);
  process.stdout.write('openapi.yaml written.\n');
} else if (readFileSync(file, 'utf8') !== yaml) {
  process.stderr.write('openapi.yaml is out of date. Run: npm run openapi\n');
  process.exitCode = 1;
}
