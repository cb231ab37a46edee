import { Slots } from './slots.js';

test('an idle worker reports all its slots as free, although the free memory changes while it counts', () => {
  let room = 100;
  const admission = { room: () => room++ };
  const slots = new Slots({ count: 500, max: 500, admission } as unknown as ConstructorParameters<typeof Slots>[0]);
  const { slots: count, free } = slots.capacity;
  expect(free).toBe(count);
});
