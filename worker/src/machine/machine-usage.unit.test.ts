import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { MachineMemory } from './machine-memory.js';
import { UsageMeter } from './machine-usage.js';

afterEach(() => jest.restoreAllMocks());

test('the usage meter measures the CPU since its last reading, and keeps the value if the counters did not change', () => {
  const cpus = jest.spyOn(os, 'cpus');
  const counted = (user: number, idle: number) =>
    cpus.mockReturnValue([{ model: '', speed: 0, times: { user, nice: 0, sys: 0, idle, irq: 0 } }]);
  jest.spyOn(os, 'totalmem').mockReturnValue(1_000);
  jest.spyOn(os, 'freemem').mockReturnValue(400);
  counted(0, 0);
  const usage = new UsageMeter(new MachineMemory('/nowhere'), { state: { free: 3, total: 5 } });
  counted(75, 25);
  const machine = { cpu: 0.75, memory_used: 600, memory_total: 1_000, disk_free: 3, disk_total: 5 };
  expect(usage.read()).toEqual({ ...machine, event_loop_ms: expect.any(Number) });
  expect(usage.read().cpu).toBe(0.75);
  counted(75, 125);
  expect(usage.read().cpu).toBe(0);
});

test('the usage meter measures how long the event loop was blocked since its last reading', async () => {
  const usage = new UsageMeter(new MachineMemory('/nowhere'), { state: null });
  let blockedMs = 0;
  // On a busy machine, the meter may not have had its first sample before the block.
  while (blockedMs < 250) {
    await delay(50);
    const end = performance.now() + 300;
    while (performance.now() < end);
    await delay(50);
    blockedMs = usage.read().event_loop_ms ?? 0;
  }
});
