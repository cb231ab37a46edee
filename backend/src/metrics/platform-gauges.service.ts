import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import { Metrics } from '../common/metrics.service.js';
import { OutageLog } from '../common/outage-log.js';
import { PostgresNotices } from '../database/postgres-notices.service.js';
import { WorkerConnections } from '../workers/connections/worker-connections.service.js';
import { PlatformStateRepository } from './platform-state.repository.js';

interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/**
 * The state of the platform when Prometheus asks. The gauges of runs and workers are read from PostgreSQL, so every
 * backend reports the same; use `max`, not `sum`, over backends.
 */
@Injectable()
export class PlatformGauges {
  readonly #postgresUp = this.#gauge('trawl_postgres_up', '1 if PostgreSQL answered this scrape.');
  readonly #live = this.#gauge('trawl_live_runs', 'Runs that have not ended, by state (running, paused, waiting).', [
    'state',
  ]);
  readonly #waiting = this.#gauge('trawl_waiting_runs', 'Runs without a worker, by the reason why they wait.', [
    'reason',
  ]);
  readonly #oldest = this.#gauge(
    'trawl_waiting_oldest_seconds',
    'How long the run has waited that has waited longest for its reason.',
    ['reason'],
  );
  readonly #workers = this.#gauge('trawl_workers', 'Workers by status.', ['status']);
  readonly #slots = this.#gauge('trawl_worker_slots', 'Slots of the workers that are online.');
  readonly #slotsUsed = this.#gauge('trawl_worker_slots_used', 'Runs on workers that are online.');
  readonly #sweepAge = this.#gauge('trawl_sweep_age_seconds', 'Time since a backend began the last sweep.');
  readonly #connected = this.#gauge('trawl_workers_connected', 'Workers connected to this backend.');
  readonly #pool = this.#gauge('trawl_postgres_pool', 'Connections to PostgreSQL, and calls that wait for one.', [
    'state',
  ]);
  readonly #listening = this.#gauge('trawl_postgres_listening', '1 if notifications of PostgreSQL arrive.');
  readonly #notifyLag = this.#gauge(
    'trawl_notify_lag_seconds',
    'Time within which notifications of PostgreSQL arrived at the last check, twice a second.',
  );

  readonly #outages: OutageLog;

  constructor(
    private readonly metrics: Metrics,
    private readonly state: PlatformStateRepository,
    private readonly notices: PostgresNotices,
    private readonly connections: WorkerConnections,
    private readonly dataSource: DataSource,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'metrics cannot read the state of runs and workers');
  }

  /** Sets all gauges. Without PostgreSQL, those that it would answer are missing. */
  async update(): Promise<void> {
    const { totalCount, idleCount, waitingCount } = (this.dataSource.driver as unknown as { master: Pool }).master;
    this.#pool.set({ state: 'idle' }, idleCount);
    this.#pool.set({ state: 'used' }, totalCount - idleCount);
    this.#pool.set({ state: 'waiting' }, waitingCount);
    this.#connected.set([...this.connections.all()].length);
    this.#listening.set(Number(this.notices.isListening));
    this.#notifyLag.set(this.notices.checkMs / 1_000);
    for (const gauge of [this.#live, this.#waiting, this.#oldest, this.#workers]) gauge.reset();
    // `reset` would set gauges without labels to 0.
    for (const gauge of [this.#slots, this.#slotsUsed, this.#sweepAge]) gauge.remove();
    try {
      const { running, paused, waiting, workers, sweepAge } = await this.state.read();
      this.#live.set({ state: 'running' }, running);
      this.#live.set({ state: 'paused' }, paused);
      this.#live.set({ state: 'waiting' }, sum(waiting.map(({ count }) => count)));
      for (const { reason, count, oldest } of waiting) {
        this.#waiting.set({ reason }, count);
        this.#oldest.set({ reason }, oldest);
      }
      for (const { status, count, slots, used } of workers) {
        this.#workers.set({ status }, count);
        if (status !== 'online') continue;
        this.#slots.set(slots);
        this.#slotsUsed.set(used);
      }
      this.#sweepAge.set(sweepAge);
      this.#postgresUp.set(1);
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
      this.#postgresUp.set(0);
    }
  }

  #gauge<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.metrics.registry] });
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
