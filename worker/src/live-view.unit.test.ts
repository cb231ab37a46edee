import type { Echo } from '@trawl/contracts';
import { LiveView } from './live-view.js';

const echo = (seq: number): Echo => ({ type: 'log', msg: `echo ${seq}`, time: '2026-01-02T03:04:05.678Z', seq });

describe('echoes for which the connection has no room yet', () => {
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

  test('are shown as soon as it has, also when nothing more is said', () => {
    view.add(echo(1));
    jest.advanceTimersByTime(1_000);
    view.add(echo(2));
    view.flush();
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    expect(shown).toEqual([[1, 2]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('are dropped when another batch is full by then', () => {
    for (let seq = 1; seq <= 12_000; seq += 1) view.add(echo(seq));
    hasRoom = true;
    jest.advanceTimersByTime(1_000);
    const seqs = shown.flat();
    expect(seqs.at(-1)).toBe(12_000);
    expect(seqs.length).toBeLessThanOrEqual(5_000);
  });
});
