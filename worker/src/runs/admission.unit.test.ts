import { Admission } from './admission.js';

const MIB = 1024 * 1024;
const machine = (free: number, pressure = 0) => ({ total: 8_000 * MIB, free: free * MIB, pressure });

test('admission calculates how many runs fit in the free memory, of which a part stays unused', () => {
  expect(new Admission(machine(1_460)).room('nodejs')).toBe(15);
  expect(new Admission(machine(1_460)).room('browser')).toBe(3);
  expect(new Admission(machine(560)).room('nodejs')).toBe(0);
});

test('admission reserves the typical memory of a run for ten seconds, until the run uses its memory itself', () => {
  let now = 0;
  const memory = machine(1_460);
  const admission = new Admission(memory, () => now);
  admission.reserve('nodejs');
  admission.reserve('browser');
  expect(admission.room('nodejs')).toBe(10);
  now = 10_000;
  memory.free -= 64 * MIB;
  expect(admission.room('nodejs')).toBe(14);
});

test('admission reserves no memory for a run that has ended', () => {
  const admission = new Admission(machine(1_460), () => 0);
  for (let n = 0; n < 100; n += 1) admission.reserve('nodejs')();
  admission.reserve('nodejs');
  expect(admission.room('nodejs')).toBe(14);
});

test('admission accepts no run while processes wait for memory that the machine lacks', () => {
  expect(new Admission(machine(1_460, 21)).room('nodejs')).toBe(0);
});

test('admission accepts runs while one of them waits for memory at its own limit', () => {
  expect(new Admission(machine(6_000, 100)).room('nodejs')).toBeGreaterThan(0);
});
