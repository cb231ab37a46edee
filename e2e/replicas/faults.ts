import { until } from '../harness/until.js';
import type { Backend, Cluster, GroupWorker } from './cluster.js';

export const FAULTS = ['kill', 'freeze', 'roll'] as const;
export type Fault = (typeof FAULTS)[number];
export const TARGETS = ['backend', 'worker', 'redis', 'caddy'] as const;
export type Target = (typeof TARGETS)[number];

const FROZEN_CALL_MS = 1_000;
const NOTICED_MS = 180_000;

interface Process {
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  start: () => Promise<void>;
  /** Resolves when the rest of the platform has noticed that the process does not respond. */
  noticed: () => Promise<unknown>;
}

/**
 * Kills, freezes or rolls a process, and waits until it is back.
 *
 * @param disturbed gets the name of the worker whose runs may be lost
 */
export async function inject(cluster: Cluster, target: Target, fault: Fault, disturbed: Set<string>): Promise<void> {
  const victim = await processOf(cluster, target, disturbed);
  if (fault === 'freeze') {
    victim.signal('SIGSTOP');
    try {
      await victim.noticed();
    } finally {
      victim.signal('SIGCONT');
    }
    return;
  }
  await victim.stop(fault === 'kill' ? 'SIGKILL' : 'SIGTERM');
  await victim.start();
}

async function processOf(cluster: Cluster, target: Target, disturbed: Set<string>): Promise<Process> {
  const { redis, caddy } = cluster;
  if (target === 'backend') {
    const backend = await busiest(cluster);
    return { ...ofChild(backend), start: () => cluster.startBackend(backend), noticed: () => isLeft(cluster, backend) };
  }
  if (target === 'worker') {
    const worker = cluster.workers[0] as GroupWorker;
    disturbed.add(worker.name);
    return { ...ofChild(worker), start: () => cluster.startWorker(worker), noticed: () => isLost(cluster, worker) };
  }
  const server = target === 'redis' ? redis : caddy;
  return {
    signal: signal => server.signal(signal),
    stop: signal => server.stop(signal),
    start: () => server.start(),
    noticed: () => (target === 'redis' ? isRedisDown(cluster) : doesNotAnswer(cluster)),
  };
}

const ofChild = ({ child }: Backend | GroupWorker) => ({
  signal: (signal: 'SIGSTOP' | 'SIGCONT') => child.signal(signal),
  stop: (signal: 'SIGTERM' | 'SIGKILL') => child.kill(signal),
});

/** Returns the backend with the most workers. */
export async function busiest(cluster: Cluster): Promise<Backend> {
  const [most] = await cluster.sql<{ replica_id: string }>(
    'SELECT replica_id FROM worker_leases WHERE replica_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  );
  return cluster.backends.find(({ id }) => id === most?.replica_id) as Backend;
}

const isLeft = (cluster: Cluster, { id }: Backend) =>
  until(
    async () => (await cluster.sql('SELECT 1 FROM worker_leases WHERE replica_id = $1', [id])).length === 0,
    'the workers to connect to another backend',
    NOTICED_MS,
  );

const isLost = (cluster: Cluster, { id }: GroupWorker) =>
  until(
    async () =>
      (await cluster.sql('SELECT 1 FROM worker_leases WHERE worker_id = $1 AND lease_until < now()', [id])).length > 0,
    'the lease of the worker to expire',
    NOTICED_MS,
  );

const isRedisDown = ({ backends }: Cluster) =>
  until(async () => {
    const checks = await Promise.all(backends.map(async ({ url }) => (await fetch(`${url}/health/ready`)).json()));
    return checks.every(({ details }) => details.redis.status === 'down');
  }, 'all backends to notice that Redis does not respond');

const doesNotAnswer = ({ url }: Cluster) =>
  until(
    async () =>
      fetch(`${url}/health/live`, { signal: AbortSignal.timeout(FROZEN_CALL_MS) }).then(
        () => false,
        () => true,
      ),
    'Caddy to stop responding',
  );
