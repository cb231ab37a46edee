import { FreeSlots } from './free-slots.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const takeAll = (slots: FreeSlots): number[] => Array.from({ length: slots.count }, () => slots.take() as number);

test('the slot that was freed last is taken first, then new ones', () => {
  const slots = new FreeSlots(4);
  const [first, second] = [slots.take() as number, slots.take() as number];
  slots.add(first, false);
  slots.add(second, false);
  expect(takeAll(slots)).toEqual([second, first, 2, 3]);
  expect(slots.take()).toBeUndefined();
});

test('a slot whose run used the network rests for two minutes, unless no other is left', () => {
  const slots = new FreeSlots(3);
  slots.add(slots.take() as number, true);
  expect(slots.count).toBe(3);
  expect(takeAll(slots)).toEqual([1, 2, 0]);
  slots.add(0, true);
  slots.add(1, false);
  jest.advanceTimersByTime(119_999);
  expect(slots.take()).toBe(1);
  slots.add(1, true);
  jest.advanceTimersByTime(1);
  slots.add(2, false);
  expect(takeAll(slots)).toEqual([0, 2, 1]);
});
