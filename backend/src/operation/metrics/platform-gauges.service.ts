import { Inject, Injectable } from '@nestjs/common';
import { isChromiumOld, MAX_CHROMIUM_AGE_DAYS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { LOGGER } from '../../platform/common/logger.js';
import { Metrics } from '../../platform/common/metrics.service.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { PostgresNotices } from '../../platform/database/postgres-notices.service.js';
import { WorkerConnections } from '../../runs/workers/connections/worker-connections.service.js';
import { PlatformStateRepository } from './platform-state.repository.js';

interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** Creates the gauges. Those of runs and workers are read from PostgreSQL, so every backend reports the same; use `max`, not `sum`, over backends. */
function makeGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    postgresUp: gauge('trawl_postgres_up', '1 if PostgreSQL answered this scrape.'),
    live: gauge('trawl_live_runs', 'Runs that have not ended, by state (running, paused, waiting).', ['state']),
    waiting: gauge('trawl_waiting_runs', 'Runs without a worker, by the reason why they wait.', ['reason']),
    oldest: gauge(
      'trawl_waiting_oldest_seconds',
      'How long the run has waited that has waited longest for its reason.',
      ['reason'],
    ),
    workers: gauge('trawl_workers', 'Workers by status.', ['status']),
    slots: gauge('trawl_worker_slots', 'Slots of the workers that are online.'),
    slotsUsed: gauge('trawl_worker_slots_used', 'Runs on workers that are online.'),
    lowDisks: gauge(
      'trawl_workers_disk_low',
      'Workers that are online and have less than TRAWL_DISK_WARN_MB free on their disk.',
    ),
    oldChromiums: gauge(
      'trawl_workers_chromium_old',
      `Workers that are online and have a Chromium that was released more than ${MAX_CHROMIUM_AGE_DAYS} days ago.`,
    ),
    blockedWorkers: gauge(
      'trawl_workers_event_loop_blocked_seconds',
      'Longest time for which the event loop of a worker that is online was blocked between its last two heartbeats.',
    ),
    postgresSize: gauge('trawl_postgres_size_bytes', 'Size of the database of the platform.'),
    objectsToDelete: gauge(
      'trawl_objects_to_delete',
      'Objects in the object store that no run needs any more, and which are not deleted yet.',
    ),
    sweepAge: gauge(
      'trawl_sweep_age_seconds',
      'Time since this backend last looked for due work, such as runs of lost workers.',
    ),
    connected: gauge('trawl_workers_connected', 'Workers connected to this backend.'),
    pool: gauge('trawl_postgres_pool', 'Connections to PostgreSQL, and calls that wait for one.', ['state']),
    listening: gauge('trawl_postgres_listening', '1 if notifications of PostgreSQL arrive.'),
    notifyLag: gauge(
      'trawl_notify_lag_seconds',
      'Time within which notifications of PostgreSQL arrived at the last check, twice a second.',
    ),
  };
}

/** The state of the platform when Prometheus asks. */
@Injectable()
export class PlatformGauges {
  readonly #gauges: ReturnType<typeof makeGauges>;
  readonly #outages: OutageLog;

  constructor(
    metrics: Metrics,
    private readonly state: PlatformStateRepository,
    private readonly notices: PostgresNotices,
    private readonly dueWork: DueWork,
    private readonly connections: WorkerConnections,
    private readonly dataSource: DataSource,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#gauges = makeGauges(metrics.registry);
    this.#outages = new OutageLog(logger, 'metrics cannot read the state of runs and workers');
  }

  /** Sets all gauges. Without PostgreSQL, those that it would answer are missing. */
  async update(): Promise<void> {
    const { totalCount, idleCount, waitingCount } = (this.dataSource.driver as unknown as { master: Pool }).master;
    this.#gauges.pool.set({ state: 'idle' }, idleCount);
    this.#gauges.pool.set({ state: 'used' }, totalCount - idleCount);
    this.#gauges.pool.set({ state: 'waiting' }, waitingCount);
    this.#gauges.connected.set([...this.connections.all()].length);
    this.#gauges.sweepAge.set(this.dueWork.age);
    this.#gauges.listening.set(Number(this.notices.isListening));
    this.#gauges.notifyLag.set(this.notices.checkMs / 1_000);
    for (const gauge of [this.#gauges.live, this.#gauges.waiting, this.#gauges.oldest, this.#gauges.workers])
      gauge.reset();
    // `reset` would set gauges without labels to 0.
    const { slots, slotsUsed, lowDisks, oldChromiums, blockedWorkers, objectsToDelete, postgresSize } = this.#gauges;
    const ofPostgres = [slots, slotsUsed, lowDisks, oldChromiums, blockedWorkers, objectsToDelete, postgresSize];
    for (const gauge of ofPostgres) gauge.remove();
    try {
      const state = await this.state.read();
      const { running, paused, waiting, workers } = state;
      this.#gauges.live.set({ state: 'running' }, running);
      this.#gauges.live.set({ state: 'paused' }, paused);
      this.#gauges.live.set({ state: 'waiting' }, sum(waiting.map(({ count }) => count)));
      for (const { reason, count, oldest } of waiting) {
        this.#gauges.waiting.set({ reason }, count);
        this.#gauges.oldest.set({ reason }, oldest);
      }
      for (const { status, count, ...online } of workers) {
        this.#gauges.workers.set({ status }, count);
        if (status !== 'online') continue;
        slots.set(online.slots);
        slotsUsed.set(online.used);
        lowDisks.set(online.low_disks);
        blockedWorkers.set(online.event_loop_ms / 1_000);
        oldChromiums.set(online.chromiums.filter(version => isChromiumOld(version)).length);
      }
      objectsToDelete.set(state.objectsToDelete);
      postgresSize.set(state.postgresSize);
      this.#gauges.postgresUp.set(1);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
      this.#gauges.postgresUp.set(0);
    }
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
