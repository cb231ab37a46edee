import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Counters and timers of this backend since its start. The room `metrics` publishes them for Prometheus. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requestSeconds = new Histogram({
    name: 'trawl_http_request_duration_seconds',
    help: 'Duration of HTTP requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly runsEnded = new Counter({
    name: 'trawl_runs_ended_total',
    help: 'Runs that this backend ended, by action (end, stop, error) and error code.',
    labelNames: ['action', 'error_code'],
    registers: [this.registry],
  });

  readonly startDelaySeconds = new Histogram({
    name: 'trawl_run_start_delay_seconds',
    help: 'Time from the start of a run to its acceptance by a worker. Runs that waited for a planned retry do not count.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly echoBytes = new Counter({
    name: 'trawl_echo_bytes_saved_total',
    help: 'Compressed size of the saved echoes, in bytes.',
    registers: [this.registry],
  });

  readonly objectSeconds = new Histogram({
    name: 'trawl_object_store_request_duration_seconds',
    help: 'Duration of requests to the object store, by operation (put, get, delete) and result (ok, error).',
    labelNames: ['operation', 'result'],
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly sweepSeconds = new Histogram({
    name: 'trawl_sweep_duration_seconds',
    help: 'Duration of the sweeps of this backend, which end runs of lost workers and update why runs wait.',
    buckets: SECONDS,
    registers: [this.registry],
  });

  readonly sweepsFailed = new Counter({
    name: 'trawl_sweeps_failed_total',
    help: 'Sweeps of this backend that failed, for example because PostgreSQL was down.',
    registers: [this.registry],
  });
}
