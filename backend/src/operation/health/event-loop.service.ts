import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Gauge } from 'prom-client';
import { Metrics } from '../../platform/common/metrics.service.js';

/** How often the delay is measured. A block that begins so soon after the start of a part is not counted. */
const SAMPLE_MS = 20;
const PART_MS = 10_000;
const PARTS = 6;
/** A longer block is a reason to look: a user notices it, and workers send heartbeats every few seconds. */
const LONG_MS = 1_000;

/** Measures for how long the event loop of this backend was blocked at most in the last minute. */
@Injectable()
export class EventLoop implements OnModuleInit, OnModuleDestroy {
  readonly #delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  /** The longest block, in ms, of each part of the last minute that is over. The oldest is first. */
  readonly #parts: number[] = [];

  constructor(metrics: Metrics) {
    const loop = this;
    new Gauge({
      name: 'trawl_event_loop_blocked_seconds',
      help: 'Longest time for which the event loop of this backend was blocked in the last minute.',
      registers: [metrics.registry],
      collect() {
        this.set(loop.blockedMs / 1_000);
      },
    });
  }

  onModuleInit(): void {
    this.#delay.enable();
  }

  onModuleDestroy(): void {
    this.#delay.disable();
  }

  get blockedMs(): number {
    return Math.max(this.#current, ...this.#parts);
  }

  /** Why this backend answers late; null if its event loop was not blocked for long in the last minute. */
  get problem(): string | null {
    const ms = this.blockedMs;
    if (ms < LONG_MS) return null;
    return `The event loop of this backend was blocked for ${ms} ms in the last minute, so it answers late. See "Event loop" on the page about monitoring.`;
  }

  /** Begins the next part of the minute. */
  @Interval(PART_MS)
  next(): void {
    this.#parts.push(this.#current);
    if (this.#parts.length > PARTS) this.#parts.shift();
    this.#delay.reset();
  }

  /** The histogram measures the time between two samples. */
  get #current(): number {
    return Math.max(0, Math.round(this.#delay.max / 1e6) - SAMPLE_MS);
  }
}
