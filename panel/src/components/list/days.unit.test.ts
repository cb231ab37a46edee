import { dayAfter, startOfDay } from './days.js';

describe('the day filter of a list', () => {
  it('covers the whole day in the user’s time zone', () => {
    expect(startOfDay('2026-02-28')).toBe(new Date(2026, 1, 28).toISOString());
    expect(startOfDay(dayAfter('2026-02-28'))).toBe(new Date(2026, 2, 1).toISOString());
  });

  it('ignores a missing or invalid day', () => {
    expect([startOfDay(''), dayAfter(''), startOfDay('gibberish')]).toEqual([undefined, '', undefined]);
  });
});
