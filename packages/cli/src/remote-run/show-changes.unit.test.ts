import type { Execution } from '@trawl/client';
import { linesOf } from './show-changes.js';

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
