import { setImmediate } from 'node:timers/promises';
import { stageRows } from './stage-rows.js';

test('a cancelled import ends only after its last write, because its staging collection is dropped then', async () => {
  const cancelled = new AbortController();
  const events: string[] = [];
  const file = Buffer.from(`n\n${'1\n'.repeat(3_000)}`);
  const staging = stageRows({
    source: {
      open: async function* () {
        yield file;
      },
      size: async () => file.length,
      slice: async (start, end) => file.subarray(start, end),
    },
    reading: { format: 'csv', encoding: 'utf-8', delimiter: 'comma', header: true },
    convert: (_, number) => ({ stored: { number }, bytes: 1 }),
    signal: cancelled.signal,
    store: async () => {
      cancelled.abort('cancelled');
      await setImmediate();
      events.push('stored');
      return new Map();
    },
    onBadRow: () => Promise.resolve(),
    onProgress: () => undefined,
  });
  await staging.catch(reason => events.push(String(reason)));
  expect(events).toEqual(['stored', 'cancelled']);
});
