import { ApiError } from '../../platform/common/errors.js';
import { checkCronSpan, nextFires } from './cron-span.js';

const NOW = new Date('2026-02-15T09:00:00Z');
const fires = (cron_span: string, time_zone: string, after: string, count: number) =>
  nextFires({ cron_span, time_zone }, new Date(after), count).map(fire => fire.toISOString());

function problem(cron_span: string, time_zone = 'UTC'): { field: string; message: string } | null {
  try {
    checkCronSpan({ cron_span, time_zone }, NOW);
    return null;
  } catch (error) {
    return ((error as ApiError).details as { field: string; message: string }[])[0] ?? null;
  }
}

describe('the check of a cron span', () => {
  it.each([
    '* * * * *',
    '*/5 * * * * *',
    '0 9 * * MON-FRI',
    '0 0 L * *',
    '0 9 * * MON#2',
    '0,30 8-18 1 JAN *',
    '0 0 29 2 *',
  ])('accepts %s', span => expect(problem(span)).toBeNull());

  it.each([
    ['', 'must be five or six fields'],
    ['* * * *', 'must be five or six fields, such as 30 6 * * MON-FRI'],
    ['* * * * * * 2026', 'must be five or six fields'],
    ['@daily', 'must be five or six fields'],
    ['61 * * * *', 'the minute is out of range'],
    ['* * 32 * *', 'the day is out of range'],
    ['*/0 * * * *', 'is invalid'],
    ['5-1 * * * *', 'is invalid'],
    ['every day at nine o', 'is invalid'],
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'never fires'],
  ])('refuses "%s" with the reason', (span, reason) => {
    expect(problem(span)).toEqual({ field: 'cron_span', message: expect.stringContaining(reason) });
  });
});

describe('the time zone of a schedule', () => {
  it.each(['UTC', 'Europe/Zagreb', 'America/New_York', 'Asia/Kolkata', 'Etc/GMT+3'])('accepts %s', zone =>
    expect(problem('* * * * *', zone)).toBeNull(),
  );
  it.each(['Mars/Phobos', '+02:00', '-05', 'GMT+2', 'x'.repeat(64)])('refuses %s', zone => {
    expect(problem('* * * * *', zone)?.field).toBe('time_zone');
  });

  it('changes when a cron span fires', () => {
    expect(fires('0 9 * * *', 'Asia/Kolkata', '2026-02-15T00:00:00Z', 1)).toEqual(['2026-02-15T03:30:00.000Z']);
  });
});

describe('when clocks go forward an hour', () => {
  it('a schedule for a time in the skipped hour fires at the end of that hour', () => {
    expect(fires('30 2 * * *', 'Europe/Zagreb', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('a schedule with an interval skips that hour and keeps its interval', () => {
    expect(fires('*/30 * * * *', 'Europe/Zagreb', '2026-03-29T00:10:00Z', 3)).toEqual([
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ]);
  });
});

describe('when clocks go back an hour', () => {
  it('a schedule for a time in the repeated hour fires once', () => {
    expect(fires('30 2 * * *', 'Europe/Zagreb', '2026-10-24T00:40:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('a schedule with an interval fires in both hours and keeps its interval', () => {
    expect(fires('*/30 * * * *', 'Europe/Zagreb', '2026-10-24T23:40:00Z', 5)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });
});
