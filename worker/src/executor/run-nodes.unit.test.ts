import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_NODES } from '@trawl/contracts';
import { pino } from 'pino';
import { findRunNodes, isReachable, reachableCopy } from './run-nodes.js';

const onLinux = process.platform === 'linux' ? test : test.skip;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-nodes-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function logWithLines() {
  const lines: string[] = [];
  return { log: pino({ base: null }, { write: (line: string) => lines.push(line) }), lines };
}

onLinux('on Linux, the worker finds both Node versions for runs, the default first', async () => {
  const { log, lines } = logWithLines();
  const { versions, others } = await findRunNodes(folder, log);
  expect(versions).toEqual([RUN_NODES[24], RUN_NODES[22]]);
  expect(Object.keys(others)).toEqual(['22']);
  expect(lines).toEqual([]);
});

test('on other systems than Linux, skripts run with the worker’s own Node, with a warning if it is too old', async () => {
  const { log, lines } = logWithLines();
  for (const [node, warnings] of [
    ['22.12.0', 0],
    ['20.19.0', 1],
  ] as const) {
    expect(await findRunNodes(folder, log, { platform: 'darwin', own: node })).toEqual({
      default: process.execPath,
      others: {},
      versions: [node],
    });
    expect(lines).toHaveLength(warnings);
  }
  expect(lines[0]).toContain('gets no more security fixes');
});

onLinux('a Node binary that the user ids of runs cannot reach is copied to a folder that they can reach', async () => {
  const binary = join(folder, 'node');
  writeFileSync(binary, '#!/bin/sh\n');
  chmodSync(binary, 0o755);
  expect(isReachable(binary)).toBe(false);
  const copy = await reachableCopy(binary, join(folder, 'nodes', '24'));
  expect([copy, statSync(copy).mode & 0o777]).toEqual([join(folder, 'nodes', '24', 'node'), 0o755]);
  expect(statSync(join(folder, 'nodes')).mode & 0o777).toBe(0o755);
  expect(existsSync(await reachableCopy(binary, join(folder, 'nodes', '24')))).toBe(true);
});
