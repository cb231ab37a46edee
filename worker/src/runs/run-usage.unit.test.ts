import { MAX_USAGE_SAMPLES } from '@trawl/contracts';
import { Redaction } from '../redaction/redaction.js';
import { checkedRequests, RunUsage } from './run-usage.js';

const MB = 1024 * 1024;

/** Measures a run at heartbeats of four seconds. It uses half a core, and more memory each time. */
function measured(beats: number): { usage: RunUsage; read: jest.Mock; reports: number[] } {
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const read = jest.fn(() => ({ cpuMs: now / 2, memoryBytes: (now / 1_000) * MB }));
  const usage = new RunUsage();
  const reports: number[] = [];
  usage.begin();
  for (let beat = 1; beat <= beats; beat++) {
    now += 4_000;
    usage.measure(read);
    const due = usage.due();
    if (due) reports.push(beat);
  }
  clock.mockRestore();
  return { usage, read, reports };
}

test('a run is measured at each heartbeat, with its processor time since the one before', () => {
  expect(measured(3).usage.list).toEqual([
    { at_s: 4, cpu_percent: null, memory_mb: 4 },
    { at_s: 8, cpu_percent: 50, memory_mb: 8 },
    { at_s: 12, cpu_percent: 50, memory_mb: 12 },
  ]);
});

test('a run of less than two seconds is not measured', () => {
  const usage = new RunUsage();
  const read = jest.fn();
  usage.begin();
  usage.measure(read);
  expect([usage.list, usage.due(), read.mock.calls]).toEqual([[], undefined, []]);
});

test('a run that cannot be measured has no samples', () => {
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const usage = new RunUsage();
  usage.begin();
  now = 9_000;
  usage.measure(() => null);
  expect(usage.list).toEqual([]);
  clock.mockRestore();
});

test('a long run keeps a bounded number of samples over its whole time, and is measured less often', () => {
  const { usage, read } = measured(1_000);
  const { list } = usage;
  expect(list.length).toBeLessThanOrEqual(MAX_USAGE_SAMPLES);
  expect(list.length).toBeGreaterThanOrEqual(MAX_USAGE_SAMPLES / 2);
  expect(list.at(-1)?.at_s).toBeGreaterThan(3_900);
  expect(list.slice(1).every(({ cpu_percent: cpu }) => cpu === 50)).toBe(true);
  expect(list.map(({ at_s }) => at_s)).toEqual(list.map(({ memory_mb }) => memory_mb));
  expect(read.mock.calls.length).toBeLessThan(400);
});

test('samples are reported often at first, and later every 16', () => {
  expect(measured(70).reports).toEqual([1, 2, 4, 8, 16, 32, 48, 64]);
});

test('requests that a run reports are kept if they are numbers by host, without secrets in the names of hosts', () => {
  const redaction = new Redaction(JSON.stringify({ token: 'tok-4711-secret' }));
  const reported = [
    { host: 'shop.example:8080', count: 60 },
    { host: 'tok-4711-secret.example', count: 1 },
  ];
  const [shop, secret] = checkedRequests(reported, redaction);
  expect(shop).toEqual(reported[0]);
  expect(secret?.host).not.toContain('4711');
  for (const other of [undefined, 'x', [{ host: 1, count: 1 }], [{ host: 'x', count: -1 }], Array(99).fill(shop)])
    expect(checkedRequests(other, redaction)).toEqual([]);
});
