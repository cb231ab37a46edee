import { LIMITS, MAX_USAGE_SAMPLES, type RequestedHost, requestsSchema, type UsageSample } from '@trawl/contracts';
import type { RunUse } from '../process/run-process.js';
import type { Redaction } from '../redaction/redaction.js';

/** Shorter runs are not measured. */
const SHORT_MS = 2_000;
const MB = 1024 * 1024;
/** Later, samples are reported this many at a time, because each report writes the run's row in the database. */
const REPORT_EVERY = 16;

/**
 * Samples of what one run uses, taken at heartbeats. If there are too many, each two become one, and from then on samples
 * are taken half as often.
 */
export class RunUsage {
  #samples: UsageSample[] = [];
  #startedAt = Number.NaN;
  #before: { at: number; cpuMs: number } | undefined;
  /** A sample is taken at each of so many calls of `measure`. */
  #every = 1;
  #calls = 0;
  #taken = 0;
  #reported = 0;

  /** All samples so far; empty for a short run. */
  get list(): UsageSample[] {
    return this.#samples;
  }

  /** Whether the run has taken so long that it is measured. */
  get isLong(): boolean {
    return performance.now() - this.#startedAt >= SHORT_MS;
  }

  begin(): void {
    this.#startedAt = performance.now();
  }

  measure(read: () => RunUse | null): void {
    if (!this.isLong) return;
    this.#calls += 1;
    if (this.#calls % this.#every !== 0) return;
    const use = read();
    if (!use) return;
    const at = performance.now();
    if (this.#samples.length === MAX_USAGE_SAMPLES) this.#halve();
    const { cpuMs, memoryBytes } = use;
    const cpu = this.#before && (cpuMs - this.#before.cpuMs) / (at - this.#before.at);
    this.#before = { at, cpuMs };
    this.#taken += 1;
    this.#samples.push({
      at_s: Math.round((at - this.#startedAt) / 1_000),
      cpu_percent: cpu === undefined ? null : Math.max(0, Math.round(100 * cpu)),
      memory_mb: Math.round(memoryBytes / MB),
    });
  }

  /** Returns all samples if it is time to report them: often at first, then every 16 samples. */
  due(): UsageSample[] | undefined {
    const taken = this.#taken;
    const isDue = taken % REPORT_EVERY === 0 || (taken < REPORT_EVERY && (taken & (taken - 1)) === 0);
    if (!isDue || taken === this.#reported) return undefined;
    this.#reported = taken;
    return this.#samples;
  }

  #halve(): void {
    this.#every *= 2;
    this.#samples = this.#samples.flatMap((second, index) => {
      const first = this.#samples[index - 1];
      return index % 2 === 1 && first ? [merged(first, second)] : [];
    });
  }
}

/** Returns the numbers of requests that a run has reported, if they are some; a host may have a secret in its name. */
export function checkedRequests(reported: unknown, redaction: Redaction): RequestedHost[] {
  if (reported === undefined) return [];
  const { data = [] } = requestsSchema.safeParse(reported);
  return data.map(({ host, ...counts }) => ({ host: redaction.text(host).slice(0, LIMITS.hostChars), ...counts }));
}

/** The mean of the processor, and the highest memory. */
const merged = (first: UsageSample, second: UsageSample): UsageSample => ({
  at_s: second.at_s,
  cpu_percent:
    first.cpu_percent === null || second.cpu_percent === null
      ? second.cpu_percent
      : Math.round((first.cpu_percent + second.cpu_percent) / 2),
  memory_mb: Math.max(first.memory_mb, second.memory_mb),
});
