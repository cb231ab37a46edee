import type { Echo } from '@trawl/contracts';
import { LiveView } from './live-view.js';

jest.mock('node:timers/promises', () => jest.requireActual('../../test/faked-timers-promises.js'));

const echo = (seq: number): Echo => ({ type: 'log', msg: `echo ${seq}`, time: '2026-01-02T03:04:05.678Z', seq });

describe('while the connection is busy, echoes for the live view', () => {
  let hasRoom: boolean;
  let shown: number[][];
  let view: LiveView;
  beforeEach(() => {
    jest.useFakeTimers();
    hasRoom = false;
    shown = [];
    view = new LiveView((_, items) => {
      if (hasRoom) shown.push(items.map(({ seq }) => seq));
      return hasRoom;
    });
    view.watch(true);
  });
  afterEach(() => jest.useRealTimers());

  test('wait, and are sent once it is free, even if the run sends no more', () => {
    view.add(echo(1));
    jest.advanceTimersByTime(1_000);
    view.add(echo(2));
    view.flush();
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    expect(shown).toEqual([[1, 2]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('slow down a run that sends thousands, until the connection is free, but not for long', async () => {
    for (let seq = 1; seq <= 2_000; seq += 1) view.add(echo(seq));
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
    for (let seq = 2_001; seq <= 4_000; seq += 1) view.add(echo(seq));
    const patience = view.pace();
    await jest.advanceTimersByTimeAsync(1_000);
    await patience;
    expect(view.pace()).toBeUndefined();
  });

  test('are dropped, oldest first, when more than 5,000 wait', () => {
    for (let seq = 1; seq <= 12_000; seq += 1) view.add(echo(seq));
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    const seqs = shown.flat();
    expect(seqs.at(-1)).toBe(12_000);
    expect(seqs.length).toBeLessThanOrEqual(5_000);
  });
});
