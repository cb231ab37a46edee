import { readFileSync } from 'node:fs';
import type { SandboxLimit } from '@trawl/contracts';
import { limitReached, limitsOf, type RunLimits } from './limits.js';

const PAGE = readFileSync('website/docs/tech/workers.mdx', 'utf8');

/** The cells of each row about a limit: its setting, its numbers, and what it ends a run with. */
const rows = [...PAGE.matchAll(/^\| `(TRAWL_RUN_[A-Z_]+)` \| (.*?) \| (.*?) \| \[`(\w+)`\]/gm)].map(
  ([, ...cells]) => cells,
);
const NAMES: Record<string, keyof RunLimits> = {
  TRAWL_RUN_MEMORY_MB: 'memoryMb',
  TRAWL_RUN_CPU_S: 'cpuS',
  TRAWL_RUN_PROCESSES: 'processes',
  TRAWL_RUN_FILES: 'files',
  TRAWL_RUN_DISK_MB: 'diskMb',
};

test('the page about workers has each limit as it is, with the setting that its error names', () => {
  expect(rows.map(([setting]) => setting)).toEqual(Object.keys(NAMES));
  for (const [setting = '', ...cells] of rows) {
    const [nodejs, browser] = (['nodejs', 'browser'] as const).map(environment => limitsOf(environment, {}));
    const shown = [nodejs, browser].map(limits => limits?.[NAMES[setting] as keyof RunLimits].toLocaleString('en-GB'));
    expect(cells.slice(0, 2)).toEqual(shown);
    const { text } = limitReached(cells[2] as SandboxLimit, nodejs as RunLimits);
    expect(text).toContain(setting);
    expect(text).toContain(` ${nodejs?.[NAMES[setting] as keyof RunLimits]} `);
  }
});
