import type { FireHour, Schedule } from '../../api/entities.js';
import { spanWords } from '../../components/values/span-words.js';
import { COMMON_SPANS } from './common-spans.js';
import { laneSlots, laneWords, type Slot, sharesOf, weekLater, weekOf } from './week.js';

const schedule = (cron_span: string, enabled = true) =>
  ({ id: 'a', cron_span, time_zone: 'UTC', enabled }) as unknown as Schedule;
const fired = (
  hour: number,
  outcome: FireHour['outcome'],
  action: FireHour['action'],
  fires = 1,
  schedule_id = 'a',
) => ({
  schedule_id,
  hour,
  outcome,
  action,
  fires,
});
const week = { from: new Date('2026-11-16T00:00:00Z'), hours: 168 };
const now = new Date('2026-11-18T12:30:00Z');

describe('the week of a schedule', () => {
  it('begins on Monday, also when opened on a Sunday or across a change of summer time', () => {
    expect(weekOf('2026-11-22').from).toEqual(new Date(2026, 10, 16));
    expect(weekOf('nonsense', new Date(2026, 10, 18, 9)).from).toEqual(new Date(2026, 10, 16));
    expect(weekLater(weekOf('2026-10-21'), 1)).toBe('2026-10-26');
    expect(weekLater(weekOf('2026-11-03'), -1)).toBe('2026-10-26');
  });

  it('shows the worst outcome of each past hour, and expected fires from now on', () => {
    const slots = laneSlots(
      schedule('15 6 * * *'),
      [
        fired(6, 'fired', 'end', 3),
        fired(6, 'fired', 'error'),
        fired(30, 'missed', null),
        fired(9, 'fired', 'end', 1, 'b'),
      ],
      week,
      now,
    );
    expect(slots.map(({ hour, fate }) => [hour, fate])).toEqual([
      [6, 'failed'],
      [30, 'missed'],
      [78, 'coming'],
      [102, 'coming'],
      [126, 'coming'],
      [150, 'coming'],
    ]);
    expect(laneWords(slots)).toBe('1 failed, 1 missed, 3 completed, 4 hours to come');
  });

  it('draws an hour with failures in shares, in which one failure among many fires is still seen', () => {
    const shares = (counts: Slot['counts']) => sharesOf({ hour: 0, fate: 'failed', counts });
    expect(shares({ failed: 1, ended: 3 })).toEqual([
      { fate: 'failed', top: 0, height: 0.25 },
      { fate: 'ended', top: 0.25, height: 0.75 },
    ]);
    expect(shares({ failed: 12, coming: 1 })).toEqual([{ fate: 'failed', top: 0, height: 1 }]);
    const [failed, ended] = shares({ failed: 1, ended: 719 });
    expect(failed?.height).toBeGreaterThan(0.12);
    expect((ended?.top ?? 0) + (ended?.height ?? 0)).toBeCloseTo(1);
  });

  it('has one slot for each hour if the schedule fires every second, and none while it is paused', () => {
    expect(laneSlots(schedule('* * * * * *'), [], week, now)).toHaveLength(168 - 60);
    expect(laneWords(laneSlots(schedule('* * * * * *', false), [], week, now))).toBe('no fires');
  });
});

it('the common times begin with three below an hour, in words', () => {
  expect(COMMON_SPANS.slice(0, 3).map(({ span }) => spanWords(span))).toEqual([
    'Every 5 minutes',
    'Every 15 minutes',
    'Every 30 minutes',
  ]);
});

it.each([
  ['30 6 * * MON-FRI', 'At 06:30, Monday through Friday'],
  ['0 0 1 1 * 2026 7', ''],
  ['nonsense', ''],
])('spanWords describes the cron expression %s in words if it can', (span, words) => {
  expect(spanWords(span)).toBe(words);
});
