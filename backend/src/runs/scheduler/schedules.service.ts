import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listPage } from '../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { lockAgainstDeletion } from '../skripts/skripts.repository.js';
import { checkCronSpan, nextFires } from './cron-span.js';
import { Schedule } from './schedule.entity.js';
import { deleteOldestFires, skipQueued } from './schedule-fires.repository.js';
import type {
  CreateScheduleDto,
  PreviewDto,
  PreviewQuery,
  ScheduleDto,
  SchedulesListQuery,
  UpdateScheduleDto,
} from './schedules.dto.js';
import { databaseNow, findNames, findUsable, type Names } from './schedules.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'name', 'next_fire_at', 'counter'];
const PREVIEWED_FIRES = 5;
const EDITABLE = [
  'name',
  'cron_span',
  'time_zone',
  'job_name',
  'skript_id',
  'input_id',
  'overlap',
  'catch_up',
  'retries',
  'retry_delay_ms',
  'enabled',
] as const;

const FIRES_PER_DELETE = 10_000;

@Injectable()
export class SchedulesService {
  constructor(
    @InjectRepository(Schedule) private readonly schedules: Repository<Schedule>,
    private readonly quotas: QuotasService,
  ) {}

  async list(ownerId: string, query: SchedulesListQuery): Promise<List<ScheduleDto>> {
    const matching = this.schedules.createQueryBuilder('s').where('s.owner_id = :ownerId', { ownerId });
    if (query.skript_id) matching.andWhere('s.skript_id = :skriptId', { skriptId: query.skript_id });
    if (query.job_name !== undefined) matching.andWhere('s.job_name = :jobName', { jobName: query.job_name });
    if (query.enabled !== undefined) matching.andWhere('s.enabled = :enabled', { enabled: query.enabled });
    if (query.name_contains) matching.andWhere('s.name ILIKE :name', { name: containsPattern(query.name_contains) });
    return listPage(matching, query, parseSort(query.sort, SORTABLE), async rows => {
      const names = await this.#namesOf(rows);
      return rows.map(row => toDto(row, names.get(row.id)));
    });
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ScheduleDto> {
    const row = await this.schedules.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('schedule', id);
    const names = await this.#namesOf([row]);
    const next_fires = row.enabled ? nextFires(row, await this.#now(), PREVIEWED_FIRES).map(iso) : [];
    return { ...toDto(row, names.get(id)), next_fires };
  }

  /** @throws {ApiError} 400 for a span that is invalid or never fires. */
  async preview({ cron_span, time_zone }: PreviewQuery): Promise<PreviewDto> {
    const now = await this.#now();
    checkCronSpan({ cron_span, time_zone }, now);
    return { cron_span, time_zone, next_fires: nextFires({ cron_span, time_zone }, now, PREVIEWED_FIRES).map(iso) };
  }

  /**
   * @throws {ApiError} 400; 404 for a skript, input, secret or worker that the owner does not have; 409 `name_taken`;
   * 429 `quota_exceeded`.
   */
  async create(ownerId: string, body: CreateScheduleDto): Promise<ScheduleDto> {
    const id = uuidv7();
    await withUniqueName(body.name, () =>
      this.schedules.manager.transaction(async manager => {
        const row = manager.create(Schedule, { ...columnsOf(body), id, owner_id: ownerId });
        row.next_fire_at = firstFire(row, await databaseNow(manager));
        await checkUsable(manager, row);
        // Lock the skript before the account, which the quota check locks. The same order everywhere avoids deadlocks.
        await lockAgainstDeletion(manager, [row.skript_id]);
        await this.quotas.roomForSchedule(manager, ownerId);
        await manager.insert(Schedule, row);
      }),
    );
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404, and the same errors as `create`. */
  async update(ownerId: string, id: string, body: UpdateScheduleDto): Promise<ScheduleDto> {
    await withUniqueName(body.name, () =>
      this.schedules.manager.transaction(async manager => {
        const row = await manager.findOne(Schedule, {
          where: { id, owner_id: ownerId },
          lock: { mode: 'for_no_key_update' },
        });
        if (!row) throw notFound('schedule', id);
        const changes: Partial<Schedule> = columnsOf(body);
        const changed = Object.assign(manager.create(Schedule, { ...row }), changes);
        const isOtherTime = (['cron_span', 'time_zone', 'enabled'] as const).some(name => changed[name] !== row[name]);
        if (isOtherTime) changes.next_fire_at = firstFire(changed, await databaseNow(manager));
        await checkUsable(manager, changed);
        await manager.update(Schedule, { id }, { ...changes, updated_at: () => 'clock_timestamp()' });
        if (!changed.enabled) await skipQueued(manager, id);
      }),
    );
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { affected } = await this.schedules.delete({ id, owner_id: ownerId });
    if (!affected) throw notFound('schedule', id);
    // Delete in several statements: a schedule may have millions of fires, and one statement may take at most 30 s. If
    // a crash interrupts this, the retention job deletes the rest.
    let fires = 0;
    for (let gone = FIRES_PER_DELETE; gone === FIRES_PER_DELETE; fires += gone) {
      gone = await deleteOldestFires(this.schedules.manager, id, FIRES_PER_DELETE);
    }
    return { deleted: { schedules: 1, schedule_fires: fires } };
  }

  async #namesOf(rows: Schedule[]): Promise<Map<string, Names>> {
    if (rows.length === 0) return new Map();
    const names = await findNames(
      this.schedules.manager,
      rows.map(({ id }) => id),
    );
    return new Map(names.map(row => [row.id, row]));
  }

  #now(): Promise<Date> {
    return databaseNow(this.schedules.manager);
  }
}

/**
 * Returns the first fire of a schedule that was created, changed or enabled; it is always in the future. Null if the
 * schedule is disabled.
 */
function firstFire(row: Schedule, now: Date): Date | null {
  const next = checkCronSpan(row, now);
  return row.enabled ? next : null;
}

/**
 * Checks that the owner may use the skript, values and worker of the schedule. This is checked again at each fire.
 * @throws {ApiError} 404 that names the first missing one.
 */
async function checkUsable(manager: EntityManager, row: Schedule): Promise<void> {
  const has = await findUsable(manager, row);
  if (!has.skript) throw notFound('skript', row.skript_id);
  if (!has.input) throw notFound('input of this skript', String(row.input_id));
  if (!has.secret) throw notFound('input secret of this skript', String(row.input_secret_id));
  if (!has.worker) throw notFound('worker', String(row.worker_id));
}

function columnsOf(body: UpdateScheduleDto): Partial<Schedule> {
  const row: Partial<Schedule> = Object.fromEntries(
    EDITABLE.filter(name => body[name] !== undefined).map(name => [name, body[name]]),
  );
  if (body.cron_span !== undefined) row.cron_span = body.cron_span.trim();
  if (body.worker_id !== undefined) row.worker_id = body.worker_id === 'any' ? null : body.worker_id;
  if (body.inputSecret_id !== undefined) row.input_secret_id = body.inputSecret_id;
  return row;
}

async function withUniqueName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'schedules_owner_id_name_key')) throw error;
    throw new ApiError('name_taken', `You already have a schedule named “${name}”. Choose another name.`);
  }
}

const iso = (moment: Date): string => moment.toISOString();

const toDto = (row: Schedule, names: Names | undefined): ScheduleDto => ({
  ...entityFields(row),
  name: row.name,
  cron_span: row.cron_span,
  time_zone: row.time_zone,
  job_name: row.job_name,
  worker_id: row.worker_id ?? 'any',
  worker: row.worker_id && names?.worker_name ? { id: row.worker_id, name: names.worker_name } : null,
  skript_id: row.skript_id,
  skript: { id: row.skript_id, name: names?.skript_name ?? '' },
  input_id: row.input_id,
  inputSecret_id: row.input_secret_id,
  overlap: row.overlap,
  catch_up: row.catch_up,
  retries: row.retries,
  retry_delay_ms: row.retry_delay_ms,
  enabled: row.enabled,
  triggered: row.triggered.map(iso),
  last_run: names?.last_run ?? null,
  counter: row.counter,
  next_fire_at: row.next_fire_at && iso(row.next_fire_at),
  problem:
    row.problem_code === null || row.problem_since === null
      ? null
      : { code: row.problem_code, message: row.problem ?? '', since: iso(row.problem_since) },
});
