import { readFileSync } from 'node:fs';
import type { LimitKind, RunLimits } from '../../process/run-process.js';
import { limitReached, limitsOf } from './limit-settings.js';

const PAGE = readFileSync('website/docs/tech/workers.mdx', 'utf8');

/** Rows of a table in the documentation, one for each limit: its setting, its values, and its error code. */
const rows = [...PAGE.matchAll(/^\| `(TRAWL_RUN_[A-Z_]+)` \| (.*?) \| (.*?) \| \[`(\w+)`\]/gm)].map(
  ([, ...cells]) => cells,
);
const NAMES: Record<string, keyof RunLimits> = {
  TRAWL_RUN_MEMORY_MB: 'memoryMb',
  TRAWL_RUN_CPU_S: 'cpuS',
  TRAWL_RUN_PROCESSES: 'processes',
  TRAWL_RUN_FILES: 'files',
  TRAWL_RUN_OPEN_FILES: 'openFiles',
  TRAWL_RUN_DISK_MB: 'diskMb',
};

test('the documentation of workers lists each limit of a run with its value and setting', () => {
  expect(rows.map(([setting]) => setting)).toEqual(Object.keys(NAMES));
  for (const [setting = '', ...cells] of rows) {
    const [nodejs, browser] = (['nodejs', 'browser'] as const).map(environment => limitsOf(environment, {}));
    const shown = [nodejs, browser].map(limits => limits?.[NAMES[setting] as keyof RunLimits].toLocaleString('en-GB'));
    expect(cells.slice(0, 2)).toEqual(shown);
    const kind = setting === 'TRAWL_RUN_OPEN_FILES' ? 'open_files' : (cells[2] as LimitKind);
    const { code, text } = limitReached(kind, nodejs as RunLimits);
    expect(code).toBe(cells[2]);
    expect(text).toContain(setting);
    expect(text).toContain(` ${nodejs?.[NAMES[setting] as keyof RunLimits]} `);
  }
});
