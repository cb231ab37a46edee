import { RestartDelays } from '../src/host/restart-delays.js';

const DEATHS_IN_A_ROW = [100, 500, 2_000, 5_000, 10_000, 10_000];

test('the delay before a database restarts grows with each crash in a row', () => {
  const delays = new RestartDelays();
  expect(DEATHS_IN_A_ROW.map(() => delays.nextMs(0))).toEqual(DEATHS_IN_A_ROW);
});

test('the delay before a database restarts is reset after a minute without a crash', () => {
  const delays = new RestartDelays();
  for (const _ of DEATHS_IN_A_ROW) delays.nextMs(1_000);
  expect([delays.nextMs(60_001), delays.nextMs(1_000)]).toEqual([100, 500]);
});
