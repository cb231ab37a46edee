const { env } = (globalThis as unknown as { process: { env: Record<string, string> } }).process;

/** Returns `utcWords` as loaded by a browser in this time zone. */
async function utcWordsIn(zone: string) {
  env.TZ = zone;
  jest.resetModules();
  return (await import('../../components/values/time-text.js')).utcWords;
}

it('utcWords adds the UTC time to a local time, with the day if that differs', async () => {
  const inTokyo = await utcWordsIn('Asia/Tokyo');
  expect(inTokyo(new Date('2026-11-22T21:30:00Z'))).toBe('22 Nov 21:30:00 UTC');
  expect(inTokyo(new Date('2026-11-22T03:00:00Z'))).toBe('03:00:00 UTC');
});

it('utcWords adds nothing if the local time zone is UTC', async () => {
  expect((await utcWordsIn('UTC'))(new Date('2026-11-22T21:30:00Z'))).toBe('');
});
