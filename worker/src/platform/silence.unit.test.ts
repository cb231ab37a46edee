import { Silence } from './silence.js';

const SILENCE_MS = 10_000;

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

it('silence begins one period after the worker sent the last frame that the platform answered', () => {
  silence.answered(performance.now(), SILENCE_MS);
  jest.advanceTimersByTime(SILENCE_MS - 1);
  silence.answered(performance.now() - 1_000, SILENCE_MS);
  jest.advanceTimersByTime(SILENCE_MS - 1_001);
  expect(begun).toBe(0);
  jest.advanceTimersByTime(1);
  expect(begun).toBe(1);
});

it('silence is reported after the worker stood still, even if an answer arrives before the timer fires', () => {
  silence.answered(performance.now(), SILENCE_MS);
  const stoodStill = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + SILENCE_MS);
  expect(silence.isOn).toBe(true);
  silence.answered(performance.now() - 1, SILENCE_MS);
  expect(silence.isOn).toBe(false);
  expect(begun).toBe(1);
  stoodStill.mockRestore();
});
