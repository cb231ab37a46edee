import type { Hello } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { IS_CONNECTED } from '../../workers/worker-status.js';

/** Another process has the lease of the worker. The message says which, and what to do. */
export class WorkerInUse extends Error {}

interface Holder {
  connected: boolean;
  connected_at: Date;
  ip_address: string | null;
  /** Number of runs that the holder may still be executing. */
  runs: number;
}

/**
 * Protects the process that has a worker's lease from a second process with the same key. A process may take the lease
 * if it has it already, if its data folder is that of the holder, or if the holder is gone: disconnected or silent for
 * a lease, and without runs. Runs of a holder that does not come back end when its lease expires.
 *
 * Locks the worker's row, so that of two processes that say hello at the same time, the second one sees the first.
 * @throws {WorkerInUse}
 */
export async function refuseSecondProcess(
  manager: EntityManager,
  { id, name, leaseMs }: { id: string; name: string; leaseMs: number },
  hello: Hello,
): Promise<void> {
  await manager.query('SELECT 1 FROM workers WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const [holder] = await manager.query<Holder[]>(
    `SELECT ${IS_CONNECTED} AS connected, l.connected_at, w.ip_address,
       (SELECT count(*)::int FROM live_runs r WHERE r.worker_id = l.worker_id AND r.boot_id IS NOT NULL) AS runs
     FROM worker_leases l JOIN workers w ON w.id = l.worker_id
     WHERE l.worker_id = $1 AND l.boot_id <> ALL($2::uuid[])`,
    [id, [hello.boot_id, hello.previous_boot_id].filter(bootId => bootId !== null)],
  );
  if (!holder || (!holder.connected && holder.runs === 0)) return;
  const since = holder.connected_at.toISOString();
  const from = holder.ip_address === null ? '' : ` from ${holder.ip_address}`;
  throw new WorkerInUse(
    holder.connected
      ? `Another process is connected as worker ${name} since ${since}${from}. Stop that process, or start this one ` +
          'with a key of its own: create a worker for it, or a worker group, whose key serves any number of processes.'
      : `Another process was connected as worker ${name} since ${since}${from}, and its runs have not ended. If it does ` +
          `not come back, they end within ${Math.ceil(leaseMs / 1_000)} s of its last heartbeat, and this process can connect.`,
  );
}
