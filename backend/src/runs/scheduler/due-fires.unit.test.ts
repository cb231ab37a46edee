import { type CatchUp, LIMITS } from '@trawl/contracts';
import { type DueFires, dueFires } from './due-fires.js';

const at = (time: string) => new Date(`2026-02-15T${time}Z`);
const due = (catch_up: CatchUp, nextFireAt: Date, now: Date, cron_span = '* * * * *') =>
  dueFires({ cron_span, time_zone: 'UTC', catch_up }, nextFireAt, now);
const times = (moments: (Date | null)[]) => moments.map(moment => moment?.toISOString().slice(11, 19) ?? null);
const shown = ({ missed, fireAt, next }: DueFires) => ({ missed: times(missed), fireAndNext: times([fireAt, next]) });

describe('a schedule that is due', () => {
  it.each(['skip', 'once', 'all'] as const)('fires at its time and gets its next time (catch_up %s)', catchUp => {
    expect(shown(due(catchUp, at('09:00:00'), at('09:00:00.700')))).toEqual({
      missed: [],
      fireAndNext: ['09:00:00', '09:01:00'],
    });
  });

  it('fires for every time that a short delay missed, in order', () => {
    const everySecond = '* * * * * *';
    const first = due('skip', at('09:00:00'), at('09:00:02'), everySecond);
    expect(shown(first)).toEqual({ missed: [], fireAndNext: ['09:00:00', '09:00:01'] });
    const second = due('skip', first.next as Date, at('09:00:02'), everySecond);
    expect(shown(second)).toEqual({ missed: [], fireAndNext: ['09:00:01', '09:00:02'] });
  });
});

describe('a schedule after an outage', () => {
  it('with catch_up skip makes the fires that are recent enough and misses the older ones', () => {
    expect(shown(due('skip', at('09:00:00'), at('09:04:30')))).toEqual({
      missed: ['09:00:00', '09:01:00', '09:02:00', '09:03:00'],
      fireAndNext: ['09:04:00', '09:05:00'],
    });
  });

  it('with catch_up skip makes no run if every missed fire is too old', () => {
    expect(shown(due('skip', at('03:00:00'), at('09:00:00'), '0 3 * * *'))).toEqual({
      missed: ['03:00:00'],
      fireAndNext: [null, '03:00:00'],
    });
  });

  it('with catch_up once makes only the last missed fire', () => {
    expect(shown(due('once', at('09:00:00'), at('09:03:30')))).toEqual({
      missed: ['09:00:00', '09:01:00', '09:02:00'],
      fireAndNext: ['09:03:00', '09:04:00'],
    });
  });

  it('with catch_up all makes every missed fire in order', () => {
    const fired: string[] = [];
    const now = at('09:05:30');
    for (let next = at('09:00:00'); next <= now; ) {
      const { missed, fireAt, next: following } = due('all', next, now);
      expect(missed).toEqual([]);
      fired.push(...(times([fireAt]) as string[]));
      next = following as Date;
    }
    expect(fired).toEqual(['09:00:00', '09:01:00', '09:02:00', '09:03:00', '09:04:00', '09:05:00']);
  });

  it.each([
    ['skip', 100, 80],
    ['once', 100, 80],
    ['all', 81, 0],
  ] as const)('with catch_up %s lists the latest missed fires and counts the others', (catchUp, listed, leftOut) => {
    // One fire per minute gives 181 fires; only the last one is on time.
    const { missed, ...after } = due(catchUp, at('09:00:00'), at('12:00:20'));
    expect([missed.length, after.leftOut, after.isExact]).toEqual([listed, leftOut, true]);
  });

  it('that missed fires for years counts them up to a limit and marks the number as inexact', () => {
    const after = due('once', new Date('2006-01-01T00:00:00Z'), at('09:00:30'), '* * * * * *');
    expect(times([after.fireAt, after.next])).toEqual(['09:00:30', '09:00:31']);
    expect(times(after.missed)).toContain('09:00:29');
    expect([after.missed.length, after.isExact]).toEqual([LIMITS.fires, false]);
    expect(after.leftOut).toBeGreaterThan(0);
  });
});
