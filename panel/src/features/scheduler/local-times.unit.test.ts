const { env } = (globalThis as unknown as { process: { env: Record<string, string> } }).process;

/** Returns `utcWords` as loaded by a browser in this time zone. */
async function utcWordsIn(zone: string) {
  env.TZ = zone;
  jest.resetModules();
  return (await import('../../components/values/time-text.js')).utcWords;
}

it('adds the time in UTC, with the day if it is another one there', async () => {
  const inTokyo = await utcWordsIn('Asia/Tokyo');
  expect(inTokyo(new Date('2026-11-22T21:30:00Z'))).toBe('22 Nov 21:30:00 UTC');
  expect(inTokyo(new Date('2026-11-22T03:00:00Z'))).toBe('03:00:00 UTC');
});

it('adds nothing where the zone is UTC', async () => {
  expect((await utcWordsIn('UTC'))(new Date('2026-11-22T21:30:00Z'))).toBe('');
});
