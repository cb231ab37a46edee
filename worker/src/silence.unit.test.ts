import { SILENCE_MS } from '@trawl/contracts';
import { Silence } from './silence.js';

let begun: number;
let silence: Silence;

beforeEach(() => {
  jest.useFakeTimers();
  begun = 0;
  silence = new Silence(() => {
    begun += 1;
  });
});
afterEach(() => jest.useRealTimers());

it('begins so long after what was answered had been said, and not while there are answers', () => {
  silence.heard(performance.now());
  jest.advanceTimersByTime(SILENCE_MS - 1);
  silence.heard(performance.now() - 1_000);
  jest.advanceTimersByTime(SILENCE_MS - 1_001);
  expect(begun).toBe(0);
  jest.advanceTimersByTime(1);
  expect(begun).toBe(1);
});

it('has been there when a process that stood still hears of the platform before its timers run', () => {
  silence.heard(performance.now());
  const stoodStill = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + SILENCE_MS);
  expect(silence.isOn).toBe(true);
  silence.heard(performance.now() - 1);
  expect(silence.isOn).toBe(false);
  expect(begun).toBe(1);
  stoodStill.mockRestore();
});
