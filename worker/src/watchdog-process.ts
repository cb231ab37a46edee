/**
 * The worker's watchdog: a small process beside it that ends runs when the worker cannot, because it was killed or stands
 * still, so that no two tries of a run go on at once. The worker tells it on its standard input which processes there are
 * and until when their runs may go on (`watchdog.ts`). When that time is over, those that may be tried again are killed; when the
 * pipe ends, the worker is gone, and all that it had left is killed. It ends with the pipe and listens to nothing else.
 */
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ProcessMark } from './executor/executor.js';
import { killAllOf, killLeftOver } from './executor/process-table.js';
import { claimed } from './executor/user-block.js';
import { monotonicMs, type NetworkRules, type WatchdogLine, type WatchedProcess } from './watchdog-line.js';

const processes = new Map<number, WatchedProcess>();
let rules: NetworkRules | null = null;
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
  if (processes.size > 0) {
    await Promise.all([...processes.values()].map(({ mark }) => endLeftOver(mark)));
    process.stderr.write(
      `The worker ended without ending its ${processes.size} processes for runs. Nothing is left of them.\n`,
    );
  }
  if (rules) await removeRules(rules);
});

/** Where the system shows no processes, the pid is taken for the one that was there a moment ago. */
const endLeftOver = (mark: ProcessMark): Promise<void> => (mark.boot === null ? killAllOf(mark) : killLeftOver(mark));

/** Only now: until here what is left of a run is held to them. */
async function removeRules({ program, args, environment, claim }: NetworkRules): Promise<void> {
  const users = await claimed(claim);
  // Else the rules of the worker that has the users now would go.
  if (!users) return;
  await new Promise<void>(resolve => execFile(program, args, { env: environment }, () => resolve()));
  users.close();
}

function take(line: WatchdogLine | null): void {
  if (line === null) return;
  if ('place' in line) processes.set(line.place, line);
  else if ('over' in line) processes.delete(line.over);
  else if ('rules' in line) rules = line.rules;
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
  else for (const { mark, endsWithLease } of processes.values()) if (endsWithLease) void killAllOf(mark);
}

/** Null for a line that is cut, because the worker was killed while it wrote it. */
function parsed(text: string): WatchdogLine | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
