import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_NODES } from '@trawl/contracts';
import { runNodePath } from '../src/executor/run-nodes.js';
import { connectedWorker } from './connected-worker.js';

const onLinux = process.platform === 'linux' ? test : test.skip;
const { platform } = connectedWorker();

const SKRIPT = `module.exports = async () => {
  const { execFileSync } = require('node:child_process');
  return { node: process.version, child: String(execFileSync('node', ['--version'])).trim() };
};`;

onLinux('runs use the newest Node version for runs, whichever version starts the worker', async () => {
  const version = `v${RUN_NODES[24]}`;
  expect(await platform.ended(await platform.start(SKRIPT))).toMatchObject({
    action: 'end',
    output: JSON.stringify({ node: version, child: version }),
  });
  expect(platform.hellos.at(-1)?.nodes).toEqual([RUN_NODES[24], RUN_NODES[22]]);
});

onLinux('a bundle that requires Node 22 runs with it, also in a warm process', async () => {
  const files = { 'main.js': SKRIPT, 'package.json': '{ "engines": { "node": "^22" } }' };
  const version = `v${RUN_NODES[22]}`;
  for (const _run of [1, 2]) {
    const id = await platform.start(files, { warm: true });
    expect(await platform.ended(id)).toMatchObject({
      action: 'end',
      output: JSON.stringify({ node: version, child: version }),
    });
  }
});

onLinux.each([
  ['the runner', 'runner.code.cjs'],
  ['a built-in library', 'node_modules/axios/index.code.js'],
])('%s has a code cache for each Node version of runs, which that version accepts', (_what, name) => {
  const cachedLibrary = join(process.cwd(), 'worker/dist/runner/node/cached-library.js');
  const file = join(process.cwd(), 'worker/dist/runtime', name);
  // Node 24 accepts it also with the flag that limits the heap. In Node 22 the runner resets the flag.
  for (const [node, flags] of [
    [24, ['--max-old-space-size=128']],
    [22, []],
  ] as const) {
    const compile = `import(${JSON.stringify(cachedLibrary)}).then(({ compileCached }) =>
      console.log(compileCached(${JSON.stringify(file)}, 'code.js').cachedDataRejected))`;
    expect(execFileSync(runNodePath(node) as string, [...flags, '-e', compile], { encoding: 'utf8' })).toBe('false\n');
  }
});

test('the Node versions for runs are those in the worker’s optional dependencies', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('worker/package.json', 'utf8'));
  for (const cpu of ['x64', 'arm64']) {
    expect(optionalDependencies[`node-linux-${cpu}`]).toBe(RUN_NODES[24]);
    expect(optionalDependencies[`node-22-linux-${cpu}`]).toBe(`npm:node-linux-${cpu}@${RUN_NODES[22]}`);
  }
});
