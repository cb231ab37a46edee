import { type Echo, LIMITS } from '@trawl/contracts';
import type { CheckedEcho } from '../protocol/echo-items.js';
import { LiveView } from './live-view.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

const TIME = '2026-01-02T03:04:05.678Z';
const echo = (msg: string): CheckedEcho => ['log', msg, TIME];
const seqsOf = (items: string[]) => (JSON.parse(`[${items.join()}]`) as Echo[]).map(({ seq }) => seq);

describe('while the connection is busy, echoes for the live view', () => {
  let hasRoom: boolean;
  let shown: number[][];
  let view: LiveView;
  beforeEach(() => {
    jest.useFakeTimers();
    hasRoom = false;
    shown = [];
    view = new LiveView((fromSeq, items) => {
      const seqs = seqsOf(items);
      expect(seqs[0]).toBe(fromSeq);
      if (hasRoom) shown.push(seqs);
      return hasRoom;
    });
    view.watch(true);
  });
  afterEach(() => jest.useRealTimers());

  test('wait, and are sent once it is free, even if the run sends no more', () => {
    view.add(1, [echo('text')]);
    jest.advanceTimersByTime(1_000);
    view.add(2, [echo('text')]);
    view.flush();
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    expect(shown).toEqual([[1, 2]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('slow down a run that sends thousands, until the connection is free, but not for long', async () => {
    for (let seq = 1; seq <= 2_000; seq += 1) view.add(seq, [echo('text')]);
    let goesOn = false;
    const held = view.pace()?.then(() => {
      goesOn = true;
    });
    await jest.advanceTimersByTimeAsync(100);
    expect(goesOn).toBe(false);
    hasRoom = true;
    await jest.advanceTimersByTimeAsync(10);
    await held;
    expect(shown.flat()).toHaveLength(2_000);

    hasRoom = false;
    for (let seq = 2_001; seq <= 4_000; seq += 1) view.add(seq, [echo('text')]);
    const patience = view.pace();
    await jest.advanceTimersByTimeAsync(1_000);
    await patience;
    expect(view.pace()).toBeUndefined();
  });

  test('are dropped, oldest first, when more than 5,000 wait', () => {
    for (let seq = 1; seq <= 12_000; seq += 1) view.add(seq, [echo('text')]);
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    const seqs = shown.flat();
    expect(seqs.at(-1)).toBe(12_000);
    expect(seqs.length).toBeLessThanOrEqual(5_000);
  });
});

test('live echoes are sent in the order of their numbers, and as the text of their JSON', () => {
  const shown: string[][] = [];
  const view = new LiveView((_fromSeq, items) => shown.push(items) > 0);
  view.watch(true);
  view.add(1, [echo('one'), ['warn', 'a "quoted"\n ä', TIME]]);
  view.add(3, []);
  view.add(3, [echo('three')]);
  view.flush();
  expect(JSON.parse(`[${shown.flat().join()}]`)).toEqual([
    { type: 'log', msg: 'one', time: TIME, seq: 1 },
    { type: 'warn', msg: 'a "quoted"\n ä', time: TIME, seq: 2 },
    { type: 'log', msg: 'three', time: TIME, seq: 3 },
  ]);
});

test('a batch of live echoes fits into a frame, also if the run sends too much at once', () => {
  const shown: string[] = [];
  const view = new LiveView((_fromSeq, items) => shown.push(items.join()) > 0);
  view.watch(true);
  view.add(1, Array(40).fill(echo('\u0001'.repeat(30_000))));
  view.flush();
  expect(seqsOf(shown)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  for (const items of shown) expect(Buffer.byteLength(items)).toBeLessThan(LIMITS.frameBytes);
});
