import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { isDatabaseAway } from '../common/database-away.js';
import { ApiError, notFound } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { OutageLog } from '../common/outage-log.js';
import { type Lookups, LookupsOnce } from '../common/shared-lookups.js';
import { StartsService } from '../executions/starts.service.js';
import { type DueFires, dueFires } from './due-fires.js';
import { FireWriterService } from './fire-writer.service.js';
import { type Firing, type FiringSchedule, NOT_POSSIBLE, OWNER_DISABLED, type Refusal } from './firing.js';

const TICK_MS = 1_000;
/** Schedules that are looked at together. */
const ROUND = 1_000;
/** Starts that are prepared at once: the calls of people need connections to the database, too. */
const LANES = 8;
/** Reckoning with time zones takes the process's time, in which it answers nobody. */
const RECKONING_MS = 10;

const COLUMNS = `s.id, s.owner_id, u.disabled_at IS NULL AS owner_active, s.cron_span, s.time_zone, s.worker_id,
  s.skript_id, s.input_id, s.input_secret_id, s.overlap, s.catch_up, s.retries, s.retry_delay_ms, s.next_fire_at,
  s.next_fire_at::text AS next_fire_text, s.updated_at::text AS version,
  date_trunc('milliseconds', clock_timestamp()) AS now`;

type Found = Pick<Firing, 'schedule' | 'kind' | 'fireAt' | 'due'>;

/** Fires what is due by PostgreSQL's clock. Any number of backends may do so at once. */
@Injectable()
export class SchedulerService implements OnModuleDestroy {
  /** Schedules that are being looked into here. */
  readonly #underWay = new Set<string>();
  readonly #rounds = new Set<Promise<boolean>>();
  readonly #outages: OutageLog;
  #isClosing = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly starts: StartsService,
    private readonly writer: FireWriterService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'firing what is due failed; it is tried again every second');
  }

  /** Until nothing is due. A bundle that takes long holds up its own schedule: the next tick does not wait for this one. */
  @Interval(TICK_MS)
  async tick(): Promise<void> {
    try {
      while (!this.#isClosing && (await this.#noted(this.#round()))) {}
      this.#outages.success();
    } catch (error) {
      this.#outages.failure(error);
    }
    await Promise.allSettled(this.#rounds);
  }

  async onModuleDestroy(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#rounds);
  }

  /**
   * Fires a schedule once, now, whether it is enabled or not.
   * @returns the time of that fire.
   * @throws {ApiError} 404.
   */
  async fireNow(ownerId: string, id: string): Promise<Date> {
    const [schedule] = await this.dataSource.query<FiringSchedule[]>(
      `SELECT ${COLUMNS} FROM schedules s JOIN users u ON u.id = s.owner_id WHERE s.id = $1 AND s.owner_id = $2`,
      [id, ownerId],
    );
    if (!schedule) throw notFound('schedule', id);
    const fireAt = schedule.now;
    await this.writer.writeAsked(await this.#prepared({ schedule, kind: 'manual', fireAt, due: null }));
    return fireAt;
  }

  #noted(round: Promise<boolean>): Promise<boolean> {
    this.#rounds.add(round);
    return round.finally(() => this.#rounds.delete(round));
  }

  /** True when anything moved on: there may be more. */
  async #round(): Promise<boolean> {
    const found = (await this.#find()).values();
    const writes: Promise<boolean>[] = [];
    const shared = new LookupsOnce();
    const lane = async () => {
      for (const one of found) {
        const { id } = one.schedule;
        if (this.#underWay.has(id)) continue;
        this.#underWay.add(id);
        const firing = await this.#prepared(one, shared).catch(error => {
          this.#underWay.delete(id);
          throw error;
        });
        // Not waited for here, so that many share a commit.
        const write = this.writer.write(firing).finally(() => this.#underWay.delete(id));
        write.catch(() => {});
        writes.push(write);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (await Promise.all(writes)).includes(true);
  }

  async #find(): Promise<Found[]> {
    const underWay = [...this.#underWay];
    const due = await this.dataSource.query<FiringSchedule[]>(
      `SELECT ${COLUMNS} FROM schedules s JOIN users u ON u.id = s.owner_id
       WHERE s.enabled AND s.next_fire_at <= now() AND s.id <> ALL($1::uuid[])
       ORDER BY s.next_fire_at LIMIT ${ROUND}`,
      [underWay],
    );
    const queued = await this.dataSource.query<(FiringSchedule & { queued_at: Date })[]>(
      `SELECT ${COLUMNS}, q.queued_at FROM (
         SELECT schedule_id, min(fire_at) AS queued_at FROM schedule_fires WHERE outcome = 'queued' GROUP BY schedule_id) q
       JOIN schedules s ON s.id = q.schedule_id JOIN users u ON u.id = s.owner_id
       WHERE s.id <> ALL($1::uuid[]) AND NOT EXISTS (SELECT 1 FROM live_runs r WHERE r.schedule_id = s.id)
       LIMIT ${ROUND}`,
      [underWay],
    );
    return [
      ...(await this.#reckoned(due)),
      ...queued.map((schedule): Found => ({ schedule, kind: 'queued', fireAt: schedule.queued_at, due: null })),
    ];
  }

  /** Many schedules have the same span; reckoning once does for all of them. */
  async #reckoned(schedules: FiringSchedule[]): Promise<Found[]> {
    const known = new Map<string, DueFires>();
    const found: Found[] = [];
    let since = performance.now();
    for (const schedule of schedules) {
      const { cron_span, time_zone, catch_up, next_fire_at, now } = schedule;
      const key = [cron_span, time_zone, catch_up, next_fire_at.getTime()].join('|');
      const due = known.get(key) ?? dueFires(schedule, next_fire_at, now);
      known.set(key, due);
      found.push({ schedule, kind: 'due', fireAt: due.fireAt, due });
      if (performance.now() - since < RECKONING_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    return found;
  }

  async #prepared(found: Found, shared?: Lookups): Promise<Firing> {
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
      // Nothing was found out about this start: it is still due when PostgreSQL is back.
      if (isDatabaseAway(error)) throw error;
      this.logger.error({ err: error, schedule: schedule.id }, 'the start of a schedule could not be prepared');
      return refused(NOT_POSSIBLE);
    }
  }
}
