import type { Echo } from '@trawl/contracts';
import { NEVER, Subject } from 'rxjs';
import type { ExecutionDto } from '../executions/records/executions.dto.js';
import { EchoStreams } from './echo-streams.service.js';

const echoes = (from: number, to: number): Echo[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index, type: 'log', msg: '', time: '' }));
const idsIn = (text: string | undefined) => [...String(text).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

// With fake timers, the stream does not poll between the steps of a test.
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a live log buffers one batch while its client does not read, and later reads the rest from storage', async () => {
  const execution = { id: 'run', action: 'start', last_seq: 0 } as ExecutionDto;
  let show: (items: Echo[]) => void = () => {};
  const reads: number[] = [];
  const streams = new EchoStreams(
    {
      next: async (_ownerId: string, _execution: ExecutionDto, seq: number) => {
        reads.push(seq);
        return seq === 0 ? [] : echoes(seq + 1, 10);
      },
    } as never,
    { get: async () => execution, ofIds: async () => [execution] } as never,
    { changes: new Subject() } as never,
    {
      follow: (_id: string, follower: typeof show) => {
        show = follower;
        return () => {};
      },
    } as never,
    { resolve: async () => ({}) } as never,
    { changed: NEVER } as never,
  );
  const closed = new AbortController();
  const events = await streams.open('owner', 'run', 0, { token: '', closed: closed.signal, freeSlot: () => {} });
  await events.next();
  const first = events.next();
  show(echoes(1, 2));
  expect(idsIn((await first).value)).toEqual([1, 2]);
  for (const from of [3, 5, 7, 9]) show(echoes(from, from + 1));
  expect(idsIn((await events.next()).value)).toEqual([3, 4]);
  expect(reads).toEqual([0]);
  const rest = events.next();
  show(echoes(11, 12));
  expect(idsIn((await rest).value)).toEqual([5, 6, 7, 8, 9, 10]);
  closed.abort();
  await events.return(undefined);
});
