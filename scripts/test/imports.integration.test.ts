import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const CHECK = join(__dirname, '../imports/check.mjs');
const FOLDERS = ['backend/src', 'worker/src', 'panel/src', 'website/src', 'examples/src', 'packages/contracts/src'];

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

test('accepts a package, a library, and a room of an earlier line', async () => {
  const said = await check({
    'backend/src/auth/a.ts': `import '@trawl/contracts'; import 'pg'; import { b } from '../common/b.js'; export default b;`,
    'backend/src/common/b.ts': 'export const b = 1;',
  });
  expect(said).toMatch(/Imports follow the rules in all \d files/);
});

test.each<[reason: RegExp, files: Record<string, string>]>([
  [/apps never import each other/, { 'backend/src/a.ts': `import '@trawl/worker';` }],
  [/packages import no app/, { 'packages/storage/src/a.ts': `import type { X } from '@trawl/backend';` }],
  [/imports nothing else of an app/, { 'packages/cli/src/a.ts': `import '@trawl/worker/worker';` }],
  [
    /rooms share code through packages/,
    { 'backend/src/a.ts': `import '../../packages/contracts/src/b.js';`, 'packages/contracts/src/b.ts': 'export {};' },
  ],
  [/imports nothing of ours/, { 'packages/contracts/src/a.ts': `import '@trawl/storage';` }],
  [
    /features of the panel never import each other/,
    {
      'panel/src/features/users/a.tsx': `import { b } from '../workers/b'; export const A = () => <b>{b}</b>;`,
      'panel/src/features/workers/b.ts': 'export const b = 1;',
    },
  ],
  [
    /may import/,
    {
      'backend/src/common/a.ts': `import type { B } from '../auth/b.js'; export type A = B;`,
      'backend/src/auth/b.ts': 'export type B = 1;',
    },
  ],
  [/which imports/, { 'worker/src/a.ts': `export * from './b.js';`, 'worker/src/b.ts': `export * from './a.js';` }],
  [/is in no layer/, { 'backend/src/things/a.ts': 'export {};' }],
])('refuses what breaks a rule: %s', async (reason, files) => {
  expect(await check(files)).toMatch(reason);
});
