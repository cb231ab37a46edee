import type { Connection } from '../platform/connection.js';
import { RunWaits } from './waits.js';

interface State {
  waiting_for: string | null;
  queue?: object;
}

const later = () => new Promise(setImmediate);

test('a waiting run reports its place in the queue, and again only when the place has changed', async () => {
  const reported: State[] = [];
  const deliver = async (_event: string, frame: (sendings: number) => State) => {
    const { waiting_for, queue } = frame(0);
    reported.push(queue ? { waiting_for, queue } : { waiting_for });
  };
  const connection = { deliver } as unknown as Connection;
  const waits = new RunWaits(connection, 'run', new AbortController().signal);
  const end = waits.begin('libraries_installing');
  waits.setPlace({ place: 3, of: 5 });
  await later();
  waits.setPlace({ place: 3, of: 5 });
  await later();
  // Only the last one of several changes is sent.
  waits.setPlace({ place: 2, of: 4 });
  waits.setPlace({ place: 1, of: 3 });
  await later();
  waits.setPlace(null);
  await later();
  end();
  await later();
  expect(reported).toEqual([
    { waiting_for: 'libraries_installing', queue: { place: 3, of: 5 } },
    { waiting_for: 'libraries_installing', queue: { place: 1, of: 3 } },
    { waiting_for: 'libraries_installing' },
    { waiting_for: null },
  ]);
});
