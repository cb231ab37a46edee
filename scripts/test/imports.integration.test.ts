import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const CHECK = join(__dirname, '../imports/check.mjs');
const WINGS = ['platform', 'data', 'runs', 'transfers', 'people', 'operation'].map(wing => `backend/src/${wing}`);
const FOLDERS = [...WINGS, 'worker/src', 'panel/src', 'website/src', 'examples/src', 'packages/contracts/src'];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trawl-imports-'));
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes these files, runs the check on them, and returns its output. */
async function check(files: Record<string, string>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [CHECK, root]).catch(error => error);
  return stdout + stderr;
}

test('the import check accepts imports of packages, libraries, and rooms of an earlier layer', async () => {
  const said = await check({
    'backend/src/platform/auth/a.ts': `import '@trawl/contracts'; import 'pg'; import { b } from '../common/b.js'; export default b;`,
    'backend/src/platform/common/b.ts': 'export const b = 1;',
  });
  expect(said).toMatch(/Imports follow the rules in all \d files/);
});

// The cases share a run, because each run takes a second of processor time to load its packages.
test('the import check refuses every import that breaks a rule, and names the rule', async () => {
  const said = await check({
    'backend/src/platform/jobs/app.ts': `import '@trawl/worker';`,
    'packages/storage/src/app.ts': `import type { X } from '@trawl/backend';`,
    'packages/cli/src/worker.ts': `import '@trawl/worker/worker';`,
    'backend/src/platform/jobs/package.ts': `import '../../../../packages/contracts/src/b.js';`,
    'packages/contracts/src/b.ts': 'export {};',
    'packages/contracts/src/ours.ts': `import '@trawl/storage';`,
    'panel/src/features/users/a.tsx': `import { b } from '../workers/b'; export const A = () => <b>{b}</b>;`,
    'panel/src/features/workers/b.ts': 'export const b = 1;',
    'backend/src/platform/common/layer.ts': `import type { B } from '../auth/b.js'; export type A = B;`,
    'backend/src/platform/auth/b.ts': 'export type B = 1;',
    'worker/src/a.ts': `export * from './b.js';`,
    'worker/src/b.ts': `export * from './a.js';`,
  });
  expect(said).toMatch(/^backend.src.platform.jobs.app\.ts .*apps never import each other/m);
  expect(said).toMatch(/^packages.storage.src.app\.ts .*packages import no app/m);
  expect(said).toMatch(/^packages.cli.src.worker\.ts .*imports nothing else of an app/m);
  expect(said).toMatch(/^backend.src.platform.jobs.package\.ts .*rooms share code through packages/m);
  expect(said).toMatch(/^packages.contracts.src.ours\.ts .*imports nothing else of ours/m);
  expect(said).toMatch(/^panel.src.features.users.a\.tsx .*features of the panel never import each other/m);
  expect(said).toMatch(/^backend.src.platform.common.layer\.ts .*may import/m);
  expect(said).toMatch(/^worker.src.[ab]\.ts .*which imports/m);
});

test('the import check refuses a folder of the backend that is in no layer', async () => {
  expect(await check({ 'backend/src/things/a.ts': 'export {};' })).toMatch(/is in no layer/);
});
