import type { Execution, Run } from '@trawl/client';
import { Output } from '../terminal/output.js';
import { linesOf, showChanges } from './show-changes.js';

const run = (more: object): Execution =>
  ({
    id: 'one',
    attempt: 1,
    action: 'start',
    waiting_for: null,
    worker: { id: 'w', name: 'alpha' },
    ...more,
  }) as Execution;
const waits = (reason: string, more: object = {}) => run({ waiting_for: { reason, since: '', ...more } });

test.each<[string, Execution | undefined, Execution, string[]]>([
  ['the first state of a run that runs', undefined, run({}), []],
  ['a reason', undefined, waits('worker_offline'), ['The run waits: the worker is offline.']],
  [
    'a number of packages',
    waits('libraries_resolving', { place: 1, of: 3 }),
    waits('libraries_resolving', { packages: 214 }),
    ['The run waits: the platform is looking for the versions of its libraries, 214 packages so far.'],
  ],
  [
    'a place in a queue',
    waits('libraries_resolving', { place: 2, of: 3 }),
    waits('libraries_resolving', { place: 1, of: 3 }),
    ['The run waits: the platform is looking for the versions of its libraries, place 1 of 3.'],
  ],
  ['the end of a wait', waits('worker_offline'), run({}), ['The run continues on alpha.']],
  ['the end of a run that has waited', waits('worker_offline'), run({ action: 'stop' }), []],
  ['a pause', run({}), run({ action: 'pause' }), ['The run is paused.']],
  [
    'the next attempt',
    run({ action: 'error', error_code: 'exception' }),
    run({
      id: 'two',
      attempt: 2,
      waiting_for: { reason: 'retry_scheduled', since: '', until: '2026-02-15T09:30:00Z' },
    }),
    [
      'Attempt 1 failed with the code exception.',
      'Attempt 2: the run two.',
      expect.stringMatching(/^The run waits: this attempt starts at 2026-02-15 .*\.$/),
    ],
  ],
  ['a later attempt, followed from its id', undefined, run({ id: 'two', attempt: 2 }), ['Attempt 2: the run two.']],
])('`trawl run` tells of %s', (_, before, now, lines) => {
  expect(linesOf(now, before)).toEqual(lines);
});

describe('the number of packages that a run waits for', () => {
  const found = (packages: number) => waits('libraries_resolving', { packages });
  const line = (packages: number) =>
    `The run waits: the platform is looking for the versions of its libraries, ${packages} packages so far.\n`;

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Shows states of a run, each some seconds after the one before. Returns what is written. */
  async function shown(states: [seconds: number, Execution][], isTTY: boolean): Promise<string> {
    const written: string[] = [];
    const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) > 0 };
    async function* changes() {
      for (const [seconds, state] of states) {
        jest.setSystemTime(Date.now() + seconds * 1_000);
        yield state;
      }
    }
    await showChanges({ changes } as unknown as Run, new Output(false, stream, stream), new AbortController().signal);
    return written.join('');
  }

  const states: [number, Execution][] = [
    [0, found(1)],
    [4, found(2)],
    [4, found(3)],
    [4, found(4)],
    [1, found(5)],
    [1, run({})],
  ];

  test('is a line every ten seconds where lines cannot be replaced', async () => {
    expect(await shown(states, false)).toBe(`${line(1)}${line(4)}The run continues on alpha.\n`);
  });

  test('replaces the line before at a terminal, also if that takes two rows', async () => {
    const up = '\x1b[2A\r\x1b[J';
    const lines = [1, 2, 3, 4, 5].map(line).join(up);
    expect(await shown(states, true)).toBe(`${lines}The run continues on alpha.\n`);
  });
});
