/**
 * The worker's watchdog: a small process beside it that ends runs when the worker cannot, because it was killed or stands
 * still, so that no two tries of a run go on at once. The worker tells it on its standard input which runs there are and
 * until when they may go on (`watchdog.ts`). When that time is over, those that may be tried again are killed; when the
 * pipe ends, the worker is gone, and all that it had left is killed. It ends with the pipe and listens to nothing else.
 */
import { createInterface } from 'node:readline';
import { killAllOf, killLeftOver } from './executor/process-table.js';
import { monotonicMs, type WatchdogLine, type WatchedRun } from './watchdog-line.js';

const runs = new Map<string, WatchedRun>();
let until = 0;
let timer: NodeJS.Timeout | undefined;

// Whoever ends everything here tells the worker too, whose runs are then still to be ended in order.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
// Who read what the worker printed may be gone with it.
process.stderr.on('error', () => {});

const lines = createInterface({ input: process.stdin });
lines.on('line', text => take(parsed(text)));
lines.on('close', async () => {
  clearTimeout(timer);
  if (runs.size === 0) return;
  await Promise.all([...runs.values()].map(({ mark }) => killLeftOver(mark)));
  process.stderr.write(`The worker ended with runs on it: ${[...runs.keys()].join(', ')}. Nothing is left of them.\n`);
});

function take(line: WatchdogLine | null): void {
  if (line === null) return;
  if ('run' in line) runs.set(line.run, line);
  else if ('over' in line) runs.delete(line.over);
  else {
    until = line.until;
    watch();
  }
}

function watch(): void {
  clearTimeout(timer);
  const leftMs = until - monotonicMs();
  // What waits in the pipe is read before it is looked at again: this process may have stood still as well.
  if (leftMs > 0) timer = setTimeout(() => setImmediate(watch), Math.ceil(leftMs));
  else for (const { mark, endsWithLease } of runs.values()) if (endsWithLease) void killAllOf(mark);
}

/** Null for a line that is cut, because the worker was killed while it wrote it. */
function parsed(text: string): WatchdogLine | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
