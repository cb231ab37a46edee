import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { type Lookups, MemoizedLookups } from '../../platform/common/batching/shared-lookups.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { OutageLog } from '../../platform/common/outage-log.js';
import { isDatabaseUnavailable } from '../../platform/common/postgres-errors.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import { StartsService } from '../executions/start/starts.service.js';
import { type DueFires, dueFires } from './due-fires.js';
import { FireWriterService } from './fire-writer.service.js';
import { type Firing, type FiringSchedule, INTERNAL_ERROR, OWNER_DISABLED, type Refusal } from './firing.js';
import { findAnyDue, findDequeuable, findDueSchedules, findSchedule } from './schedules.repository.js';

const TICK_MS = 1_000;
/** The highest number of schedules that one round handles, per query. */
const ROUND = 1_000;
/** How many starts are prepared at the same time. Their reads of inputs share queries, and their writes share commits. */
const LANES = 64;
/** Lookups of skripts and workers at the same time. They are few, because API calls need database connections, too. */
const LOOKUPS = 8;
/** Computing fires blocks the event loop, so after this many milliseconds other code gets a turn. */
const MAX_BLOCK_MS = 10;

type UnpreparedFiring = Pick<Firing, 'schedule' | 'kind' | 'fireAt' | 'due'>;

/** Fires schedules that are due by PostgreSQL's clock. Several backends may do this at the same time. */
@Injectable()
export class SchedulerService implements OnModuleInit, OnModuleDestroy {
  /** Ids of the schedules that this backend is firing now: it prepares their runs or writes them to the database. */
  readonly #inProgress = new Set<string>();
  /** Those that still find schedules to fire. */
  readonly #ticks = new Set<Promise<void>>();
  readonly #outages: OutageLog;
  #isClosing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly starts: StartsService,
    private readonly writer: FireWriterService,
    private readonly dueWork: DueWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'firing due schedules failed; retrying every second');
  }

  onModuleInit(): void {
    this.dueWork.add('schedules', {
      everyMs: TICK_MS,
      find: findAnyDue,
      values: () => [[...this.#inProgress]],
      run: () => this.tick(),
    });
  }

  /**
   * Fires schedules until none is due, those that overlapping ticks are firing included. Ticks may overlap, so a slow
   * build of a bundle delays only its own schedule.
   */
  async tick(): Promise<void> {
    const tick = this.#fireAll();
    this.#ticks.add(tick);
    await tick.finally(() => this.#ticks.delete(tick));
    // A tick skips the schedules that another one is firing.
    await Promise.all(this.#ticks);
  }

  async onModuleDestroy(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#ticks);
  }

  /**
   * Fires a schedule once, immediately, even if it is disabled.
   * @returns the time of that fire.
   * @throws {ApiError} 404.
   */
  async fireNow(ownerId: string, id: string): Promise<Date> {
    const schedule = await findSchedule(this.dataSource.manager, ownerId, id);
    if (!schedule) throw notFound('schedule', id);
    const fireAt = schedule.now;
    await this.writer.writeTriggered(await this.#prepare({ schedule, kind: 'manual', fireAt, due: null }));
    return fireAt;
  }

  /** Never throws. */
  async #fireAll(): Promise<void> {
    try {
      while (!this.#isClosing && (await this.#round())) {}
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /**
   * Handles the schedules and queued fires that are due. Returns true if any of them changed, because then more may be
   * due.
   */
  async #round(): Promise<boolean> {
    const found = (await this.#find()).values();
    const writes: Promise<boolean>[] = [];
    const shared = new MemoizedLookups(LOOKUPS);
    const lane = async () => {
      for (const one of found) {
        const { id } = one.schedule;
        if (this.#inProgress.has(id)) continue;
        this.#inProgress.add(id);
        const firing = await this.#prepare(one, shared).catch(error => {
          this.#inProgress.delete(id);
          throw error;
        });
        // Do not wait for the write here, so that several writes can share one commit.
        const write = this.writer.write(firing).finally(() => this.#inProgress.delete(id));
        write.catch(() => {});
        writes.push(write);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (await Promise.all(writes)).includes(true);
  }

  async #find(): Promise<UnpreparedFiring[]> {
    const inProgress = [...this.#inProgress];
    const due = await findDueSchedules(this.dataSource.manager, inProgress, ROUND);
    const queued = await findDequeuable(this.dataSource.manager, inProgress, ROUND);
    return [
      ...(await this.#withDueFires(due)),
      ...queued.map(
        (schedule): UnpreparedFiring => ({ schedule, kind: 'queued', fireAt: schedule.queued_at, due: null }),
      ),
    ];
  }

  /** Finds the due fires of each schedule. Computes them only once for schedules with the same settings and time. */
  async #withDueFires(schedules: FiringSchedule[]): Promise<UnpreparedFiring[]> {
    const known = new Map<string, DueFires>();
    const found: UnpreparedFiring[] = [];
    let since = performance.now();
    for (const schedule of schedules) {
      const { cron_span, time_zone, catch_up, next_fire_at, now } = schedule;
      const key = [cron_span, time_zone, catch_up, next_fire_at.getTime()].join('|');
      const due = known.get(key) ?? dueFires(schedule, next_fire_at, now);
      known.set(key, due);
      found.push({ schedule, kind: 'due', fireAt: due.fireAt, due });
      if (performance.now() - since < MAX_BLOCK_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    return found;
  }

  async #prepare(found: UnpreparedFiring, shared?: Lookups): Promise<Firing> {
    const refused = (refusal: Refusal): Firing => ({ ...found, start: null, refusal });
    if (!found.fireAt) return { ...found, start: null, refusal: null };
    const { schedule } = found;
    if (!schedule.owner_active) return refused(OWNER_DISABLED);
    try {
      const request = {
        workerId: schedule.worker_id ?? 'any',
        skriptId: schedule.skript_id,
        force: schedule.overlap === 'allow',
        input: schedule.input_id ? { id: schedule.input_id } : null,
        inputSecret: schedule.input_secret_id ? { id: schedule.input_secret_id } : null,
        scheduleId: schedule.id,
        retries: schedule.retries ?? undefined,
        retryDelayMs: schedule.retry_delay_ms ?? undefined,
      };
      const start = await this.starts.prepare(schedule.owner_id, request, shared);
      return { ...found, start, refusal: null };
    } catch (error) {
      if (error instanceof ApiError) return refused(error);
      // Do not record a refusal: the fire stays due until PostgreSQL is available again.
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.error({ err: error, schedule: schedule.id }, 'preparing the start of a schedule failed');
      return refused(INTERNAL_ERROR);
    }
  }
}
