import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { ApiError, notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { containsPattern, listPage } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { isOffered } from '../workers/who-may-use.js';
import { checkCronSpan, nextFires } from './cron-span.js';
import { Schedule } from './schedule.entity.js';
import type {
  CreateScheduleDto,
  PreviewDto,
  PreviewQuery,
  ScheduleDto,
  SchedulesListQuery,
  UpdateScheduleDto,
} from './schedules.dto.js';

const SORTABLE = ['created_at', 'updated_at', 'name', 'next_fire_at', 'counter'];
const PREVIEWED = 5;
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

/** What a schedule's answer shows beside its row. */
interface Names {
  id: string;
  skript_name: string;
  worker_name: string | null;
}

const FIRES_AT_ONCE = 10_000;

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
    const next_fires = row.enabled ? nextFires(row, await this.#now(), PREVIEWED).map(iso) : [];
    return { ...toDto(row, names.get(id)), next_fires };
  }

  /** @throws {ApiError} 400 for a span that cannot be read or never fires. */
  async preview({ cron_span, time_zone }: PreviewQuery): Promise<PreviewDto> {
    const now = await this.#now();
    checkCronSpan({ cron_span, time_zone }, now);
    return { cron_span, time_zone, next_fires: nextFires({ cron_span, time_zone }, now, PREVIEWED).map(iso) };
  }

  /** @throws {ApiError} 400, 404 for a skript, input, secret or worker that the owner does not have, 409 `name_taken`, 429 `quota_exceeded`. */
  async create(ownerId: string, body: CreateScheduleDto): Promise<ScheduleDto> {
    const id = uuidv7();
    await named(body.name, () =>
      this.schedules.manager.transaction(async manager => {
        const row = manager.create(Schedule, { ...edited(body), id, owner_id: ownerId });
        row.next_fire_at = firstFire(row, await databaseNow(manager));
        await checkUsable(manager, row);
        // As everybody does who locks both: the skript first, then the account.
        await manager.query('SELECT 1 FROM skripts WHERE id = $1 FOR KEY SHARE', [row.skript_id]);
        await this.quotas.roomForSchedule(manager, ownerId);
        await manager.insert(Schedule, row);
      }),
    );
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} as `create`, and 404. */
  async update(ownerId: string, id: string, body: UpdateScheduleDto): Promise<ScheduleDto> {
    await named(body.name, () =>
      this.schedules.manager.transaction(async manager => {
        const row = await manager.findOne(Schedule, {
          where: { id, owner_id: ownerId },
          lock: { mode: 'for_no_key_update' },
        });
        if (!row) throw notFound('schedule', id);
        const changes: Partial<Schedule> = edited(body);
        const changed = Object.assign(manager.create(Schedule, { ...row }), changes);
        const isOtherTime = (['cron_span', 'time_zone', 'enabled'] as const).some(name => changed[name] !== row[name]);
        if (isOtherTime) changes.next_fire_at = firstFire(changed, await databaseNow(manager));
        await checkUsable(manager, changed);
        await manager.update(Schedule, { id }, { ...changes, updated_at: () => 'clock_timestamp()' });
        if (!changed.enabled) await dropQueued(manager, id);
      }),
    );
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { affected } = await this.schedules.delete({ id, owner_id: ownerId });
    if (!affected) throw notFound('schedule', id);
    // There may be millions, and a statement has 30 s. Those that a crash leaves go with their month.
    let fires = 0;
    for (let gone = FIRES_AT_ONCE; gone === FIRES_AT_ONCE; fires += gone) {
      [, gone] = await this.schedules.query<[unknown, number]>(
        `DELETE FROM schedule_fires WHERE schedule_id = $1 AND fire_at IN
           (SELECT fire_at FROM schedule_fires WHERE schedule_id = $1 ORDER BY fire_at LIMIT ${FIRES_AT_ONCE})`,
        [id],
      );
    }
    return { deleted: { schedules: 1, schedule_fires: fires } };
  }

  async #namesOf(rows: Schedule[]): Promise<Map<string, Names>> {
    if (rows.length === 0) return new Map();
    const names = await this.schedules.query<Names[]>(
      `SELECT s.id, k.title AS skript_name, w.name AS worker_name
       FROM schedules s JOIN skripts k ON k.id = s.skript_id LEFT JOIN workers w ON w.id = s.worker_id
       WHERE s.id = ANY($1::uuid[])`,
      [rows.map(({ id }) => id)],
    );
    return new Map(names.map(row => [row.id, row]));
  }

  #now(): Promise<Date> {
    return databaseNow(this.schedules.manager);
  }
}

/** Fires are due by PostgreSQL's clock, whichever backend looks. */
async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<{ now: Date }[]>('SELECT now() AS now');
  return row?.now as Date;
}

/** When a schedule that was made, changed or enabled fires first: never for a time that has passed. */
function firstFire(row: Schedule, now: Date): Date | null {
  const next = checkCronSpan(row, now);
  return row.enabled ? next : null;
}

/**
 * Whether the owner has and may use what the schedule names. Every fire asks again.
 * @throws {ApiError} 404 naming the first that is not there.
 */
async function checkUsable(manager: EntityManager, row: Schedule): Promise<void> {
  const [has] = await manager.query<{ skript: boolean; input: boolean; secret: boolean; worker: boolean }[]>(
    `SELECT EXISTS (SELECT 1 FROM skripts WHERE id = $2 AND owner_id = $1) AS skript,
       ($3::uuid IS NULL OR EXISTS (SELECT 1 FROM inputs WHERE id = $3 AND skript_id = $2)) AS input,
       ($4::uuid IS NULL OR EXISTS (SELECT 1 FROM input_secrets WHERE id = $4 AND skript_id = $2)) AS secret,
       ($5::uuid IS NULL OR ${isOffered('$5', '$1::uuid')}) AS worker`,
    [row.owner_id, row.skript_id, row.input_id, row.input_secret_id, row.worker_id],
  );
  if (!has?.skript) throw notFound('skript', row.skript_id);
  if (!has.input) throw notFound('input of this skript', String(row.input_id));
  if (!has.secret) throw notFound('input secret of this skript', String(row.input_secret_id));
  if (!has.worker) throw notFound('worker', String(row.worker_id));
}

async function dropQueued(manager: EntityManager, id: string): Promise<void> {
  await manager.query(
    `UPDATE schedule_fires SET outcome = 'skipped', reason_code = 'disabled', updated_at = now(),
       reason = 'The schedule was disabled while this fire waited for the run before to end.'
     WHERE schedule_id = $1 AND outcome = 'queued'`,
    [id],
  );
}

function edited(body: UpdateScheduleDto): Partial<Schedule> {
  const row: Partial<Schedule> = Object.fromEntries(
    EDITABLE.filter(name => body[name] !== undefined).map(name => [name, body[name]]),
  );
  if (body.cron_span !== undefined) row.cron_span = body.cron_span.trim();
  if (body.worker_id !== undefined) row.worker_id = body.worker_id === 'any' ? null : body.worker_id;
  if (body.inputSecret_id !== undefined) row.input_secret_id = body.inputSecret_id;
  return row;
}

async function named<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'schedules_owner_id_name_key')) throw error;
    throw new ApiError('name_taken', `You have a schedule named “${name}” already. Choose another name.`);
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
  counter: row.counter,
  next_fire_at: row.next_fire_at && iso(row.next_fire_at),
  problem:
    row.problem_code === null || row.problem_since === null
      ? null
      : { code: row.problem_code, message: row.problem ?? '', since: iso(row.problem_since) },
});
