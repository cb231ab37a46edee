import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { leaseTimes } from '@trawl/contracts';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { preparedQuery } from '../common/sql/prepared-query.js';

/** Work that a backend does whenever rows of the database ask for it. */
export interface DueWorkKind<Found> {
  /** How often to look, in ms. */
  everyMs: number;
  /**
   * SQL expression of what is to be done; false or null if there is nothing. It is evaluated often, so it must be fast.
   * @param parameters the placeholders of `values`. Cast each to its type.
   */
  find: (...parameters: string[]) => string;
  /** The values of the expression's parameters now. */
  values?: () => unknown[];
  /** Does the work. Calls may overlap. Errors are logged. */
  run: (found: Found) => Promise<unknown> | undefined;
}

interface Registered {
  name: string;
  kind: DueWorkKind<unknown>;
  /** When to look next, by the process's own clock. */
  nextAt: number;
}

/** Timers are not exact, so the look that comes up to this share too early counts. */
const EARLY = 0.2;

/**
 * Looks for work that is due, once a second, with one statement for all kinds of work. So an idle backend sends one
 * statement, not one or more for each kind. Several backends may do this at the same time.
 * See docs/decisions/0505-one-look-for-due-work.md.
 */
@Injectable()
export class DueWork implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #kinds: Registered[] = [];
  readonly #tickMs: number;
  readonly #outages: OutageLog;
  #statement = { name: '', text: '' };
  #isLooking = false;
  #isStopping = false;
  #lookedAt = performance.now();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Pick<Config, 'leaseMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
    // Missing in `trawl-admin`, which does no work of a backend.
    @Optional() private readonly timers?: SchedulerRegistry,
  ) {
    this.#tickMs = leaseTimes(config.leaseMs).sweepMs;
    this.#outages = new OutageLog(logger, 'looking for due work failed; retrying every second');
  }

  /** Adds a kind of work. Call it in `onModuleInit`. */
  add<Found = true>(name: string, kind: DueWorkKind<Found>): void {
    this.#kinds.push({ name, kind: kind as DueWorkKind<unknown>, nextAt: 0 });
  }

  /** Seconds since this backend last looked without an error. */
  get age(): number {
    return (performance.now() - this.#lookedAt) / 1_000;
  }

  onApplicationBootstrap(): void {
    this.#statement = this.#compose();
    this.timers?.addInterval(
      'due-work',
      setInterval(() => void this.look(), this.#tickMs),
    );
  }

  onModuleDestroy(): void {
    this.#isStopping = true;
  }

  /** Looks for the kinds of work whose time has come, and starts what it finds. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#isStopping) return;
    this.#isLooking = true;
    try {
      const now = performance.now();
      const asked = this.#kinds.map(({ nextAt }) => nextAt <= now);
      const values = this.#kinds.flatMap(({ kind }) => kind.values?.() ?? []);
      const { name, text } = this.#statement;
      const [found] = await preparedQuery<Record<string, unknown>>(this.dataSource, name, text, [asked, ...values]);
      this.#lookedAt = performance.now();
      this.#outages.success();
      for (const [index, one] of this.#kinds.entries()) {
        if (!asked[index]) continue;
        one.nextAt = now + one.kind.everyMs * (1 - EARLY);
        const value = found?.[`k${index}`];
        if (value !== false && value !== null && !this.#isStopping) void this.#run(one, value);
      }
    } catch (error) {
      this.#outages.failure(error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #run({ name, kind }: Registered, found: unknown): Promise<void> {
    try {
      await kind.run(found);
    } catch (error) {
      this.logger.error({ err: error, work: name }, 'due work failed; will retry');
    }
  }

  /** Puts the expressions of all kinds into one statement. PostgreSQL skips those whose time has not come. */
  #compose(): { name: string; text: string } {
    let parameters = 1;
    const columns = this.#kinds.map(({ kind }, index) => {
      const placeholders = (kind.values?.() ?? []).map(() => `$${++parameters}`);
      return `CASE WHEN ($1::boolean[])[${index + 1}] THEN (${kind.find(...placeholders)}) END AS k${index}`;
    });
    const text = `SELECT ${columns.join(',\n')}`;
    return { name: `due work ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text };
  }
}
