import { dayAfter, startOfDay } from './days.js';

describe('a day of the filters', () => {
  it('is of the zone of the reader, to its last moment', () => {
    expect(startOfDay('2026-02-28')).toBe(new Date(2026, 1, 28).toISOString());
    expect(startOfDay(dayAfter('2026-02-28'))).toBe(new Date(2026, 2, 1).toISOString());
  });

  it('may be none', () => {
    expect([startOfDay(''), dayAfter(''), startOfDay('gibberish')]).toEqual([undefined, '', undefined]);
  });
});
