/**
 * The worker's watchdog: a small process beside the worker. It kills runs when the worker cannot do this because it was
 * killed or hangs. So two attempts of a run never run at the same time. The worker (`watchdog.ts`) writes its processes
 * and the end of their lease to the watchdog's standard input. When the lease ends, the watchdog kills the runs that
 * have retries left. When its standard input closes, the worker has ended: the watchdog kills all processes that are
 * left, and ends.
 * See docs/decisions/0047-leases-and-heartbeats.md.
 */
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ignoreStopSignals } from '../process/helper-process.js';
import type { ProcessIdentity } from '../process/process-identity.js';
import { killAllOf, killOrphan } from '../process/process-table.js';
import { claimSocket } from '../process/user-block.js';
import { parseJsonLine } from '../protocol/json-lines.js';
import { monotonicMs, type RunNetworks, type WatchdogLine, type WatchedProcess } from './watchdog-messages.js';

const processes = new Map<number, WatchedProcess>();
let networks: RunNetworks | null = null;
let until = 0;
let timer: NodeJS.Timeout | undefined;

ignoreStopSignals();
// Ignore errors of writing to stderr: the program that reads it may have ended together with the worker.
process.stderr.on('error', () => {});

const lines = createInterface({ input: process.stdin });
lines.on('line', text => handle(parseJsonLine<WatchdogLine>(text)));
lines.on('close', async () => {
  clearTimeout(timer);
  if (processes.size > 0) {
    await Promise.all([...processes.values()].map(({ identity }) => endOrphan(identity)));
    process.stderr.write(
      `The worker ended without ending its ${processes.size} processes for runs; the watchdog killed them.\n`,
    );
  }
  if (networks) await removeNetworks(networks);
});

/**
 * Kills a process that the worker left. On a system without /proc, the pid is enough to identify it: the worker has
 * just died, so no other process has that pid yet.
 */
const endOrphan = (identity: ProcessIdentity): Promise<void> =>
  identity.boot === null ? killAllOf(identity) : killOrphan(identity);

/** Removes the networks of runs. Call it only after all processes of runs have ended. */
async function removeNetworks({ program, args, environment, claim }: RunNetworks): Promise<void> {
  const claimed = await claimSocket(claim);
  // Another worker has claimed the networks, so they are those of that worker now.
  if (!claimed) return;
  await new Promise<void>(resolve => execFile(program, args, { env: environment }, () => resolve()));
  claimed.close();
}

function handle(line: WatchdogLine | null): void {
  if (line === null) return;
  if ('slotIndex' in line) processes.set(line.slotIndex, line);
  else if ('ended' in line) processes.delete(line.ended);
  else if ('networks' in line) networks = line.networks;
  else {
    until = line.until;
    watch();
  }
}

function watch(): void {
  clearTimeout(timer);
  const leftMs = until - monotonicMs();
  // Read the pipe before the next check, because this process may have hung too and may have unread messages.
  if (leftMs > 0) timer = setTimeout(() => setImmediate(watch), Math.ceil(leftMs));
  else for (const { identity, endsWithLease } of processes.values()) if (endsWithLease) void killAllOf(identity);
}
