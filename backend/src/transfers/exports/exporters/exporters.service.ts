import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SHARES } from '@trawl/contracts';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { type DeletedDto, entityFields } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { isUniqueViolation } from '../../../platform/common/postgres-errors.js';
import { type List, type ListQuery, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import { JobsService } from '../../../platform/jobs/jobs.service.js';
import { deleteLane } from '../../../platform/jobs/platform-jobs.js';
import { checkCronSpan } from '../../../runs/scheduler/cron-span.js';
import { databaseNow } from '../../../runs/scheduler/schedules.repository.js';
import { lockSkript } from '../../../runs/skripts/skripts.repository.js';
import { shown } from '../destinations/export-destinations.service.js';
import { EXPORT, type ExportedBefore, type ExportParams } from '../export-jobs.service.js';
import type { ExportDto } from '../exports.dto.js';
import { ExportsService } from '../exports.service.js';
import { FORMATS } from '../formats/formats.js';
import { SOURCES_OF_RUNS } from '../sources/export-sources.service.js';
import { Exporter } from './exporter.entity.js';
import { changed, changesContent, isOtherData, settingsOf } from './exporter-settings.js';
import type { CreateExporterDto, ExporterDto, UpdateExporterDto } from './exporters.dto.js';
import { hasOpenExport } from './exporters.repository.js';

export const SORTABLE = ['created_at', 'updated_at', 'name', 'next_at'];
export const MAX_EXPORTERS = SHARES.exporters;
/** The kind of the jobs that start exports after runs. Their lane is the exporter. */
export const AFTER_RUN = 'export_after_run';

/** Creates, lists, changes and deletes exporters, and starts their exports. */
@Injectable()
export class ExportersService {
  constructor(
    @InjectRepository(Exporter) private readonly exporters: Repository<Exporter>,
    private readonly exports: ExportsService,
    private readonly jobs: JobsService,
  ) {}

  /** @throws {ApiError} 400, 404, 409 `name_taken`, 429 `quota_exceeded`. */
  async create(ownerId: string, body: CreateExporterDto): Promise<ExporterDto> {
    const { name, only_new, cron_span, time_zone, skript_id, enabled } = body;
    const params = await this.#paramsOf(ownerId, body);
    const id = uuidv7();
    await translatingNameTaken(name, () =>
      this.exporters.manager.transaction(async transaction => {
        const planned = plan({ cron_span: cron_span ?? null, time_zone }, await databaseNow(transaction));
        if (skript_id !== undefined) await lockSkript(transaction, ownerId, skript_id);
        await transaction.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
        if ((await transaction.countBy(Exporter, { owner_id: ownerId })) >= MAX_EXPORTERS) throw tooMany();
        await transaction.insert(Exporter, {
          id,
          owner_id: ownerId,
          name,
          params: params as object,
          only_new,
          cron_span: cron_span ?? null,
          time_zone,
          skript_id: skript_id ?? null,
          enabled,
          ...planned,
        });
      }),
    );
    return this.get(ownerId, id);
  }

  list(ownerId: string, query: ListQuery): Promise<List<ExporterDto>> {
    const matching = this.exporters.createQueryBuilder('e').where('e.owner_id = :ownerId', { ownerId });
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows => rows.map(toDto));
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ExporterDto> {
    const exporter = await this.exporters.findOneBy({ id, owner_id: ownerId });
    return toDto(exporter ?? throwNotFound(id));
  }

  /**
   * Changes the fields that are sent.
   * @throws {ApiError} 400, 404, 409 `name_taken`, or `conflict` if another change or an export is under way.
   */
  async update(ownerId: string, id: string, changes: UpdateExporterDto): Promise<ExporterDto> {
    const before = (await this.exporters.findOneBy({ id, owner_id: ownerId })) ?? throwNotFound(id);
    const params = changesContent(changes) ? await this.#changedParams(before, changes) : null;
    await translatingNameTaken(changes.name ?? '', () =>
      this.exporters.manager.transaction(async transaction => {
        // Lock the skript first, as its deletion does.
        if (changes.skript_id) await lockSkript(transaction, ownerId, changes.skript_id);
        const exporter = await lock(transaction, ownerId, id);
        const { name, only_new, cron_span = null, time_zone, skript_id = null, enabled } = changed(exporter, changes);
        const planned = plan({ cron_span, time_zone }, await databaseNow(transaction));
        const content = params === null ? {} : await contentOf(transaction, before, exporter, params);
        const fields = { name, only_new, cron_span, time_zone, skript_id, enabled, ...content, ...planned };
        await transaction.update(Exporter, { id }, { ...fields, updated_at: () => 'now()' });
        if (!enabled || skript_id !== exporter.skript_id) await deleteLane(transaction, AFTER_RUN, id);
      }),
    );
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { affected } = await this.exporters.delete({ id, owner_id: ownerId });
    if (affected === 0) throw notFound('exporter', id);
    return { deleted: { exporters: 1 } };
  }

  /**
   * Starts an export now.
   * @throws {ApiError} 404, 409 `conflict` if one is queued or running, 422 for rows of a run, 429 `too_many_requests`.
   */
  async run(ownerId: string, id: string): Promise<ExportDto> {
    const jobId = await this.exporters.manager.transaction(async transaction => {
      const exporter = await lock(transaction, ownerId, id);
      if (SOURCES_OF_RUNS.includes(exporter.params.source.source)) {
        throw new ApiError(
          'storage_rejected',
          'This exporter exports what each run of its skript has stored, after the run. To export a run by hand, create an export.',
        );
      }
      return this.start(transaction, exporter, await databaseNow(transaction));
    });
    this.jobs.flush();
    if (jobId) return this.exports.get(ownerId, jobId);
    throw new ApiError('conflict', 'An export of this exporter is queued or running. Wait until it ends.');
  }

  /**
   * Adds an export in the caller's transaction, which must hold a lock on the exporter.
   * @param now PostgreSQL's time.
   * @param executionId the run to export, for a source that needs one.
   * @returns the id of the export; null if one is still queued or running, because both would have the same documents.
   * @throws {ApiError} 429 `too_many_requests`.
   */
  async start(transaction: EntityManager, exporter: Exporter, now: Date, executionId?: string): Promise<string | null> {
    const { id: exporter_id, owner_id: ownerId, params } = exporter;
    if (executionId === undefined && (await hasOpenExport(transaction, ownerId, exporter_id))) return null;
    const id = uuidv7();
    const { extension } = FORMATS[params.options.format];
    // Exports of the same second have names of their own: a bucket would keep only the last file of a name.
    const stamp = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
    const exported: ExportParams = {
      ...params,
      exporter_id,
      source: executionId === undefined ? params.source : { ...params.source, execution_id: executionId },
      file_name: `${params.file_name.slice(0, -extension.length - 1)}-${stamp}-${id.slice(-8)}.${extension}`,
      exported: exporter.only_new ? exportedBefore(exporter) : null,
    };
    await this.jobs.addIn(transaction, { id, ownerId, kind: EXPORT, params: exported });
    return id;
  }

  /** Does the same. Returns false if it is too early: an export is open, or the account has too many open ones. */
  async tryStart(transaction: EntityManager, exporter: Exporter, now: Date, executionId?: string): Promise<boolean> {
    try {
      return (await this.start(transaction, exporter, now, executionId)) !== null;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** Checks what an exporter exports after the changes. It keeps its destination, unless another one or null is sent. */
  async #changedParams(exporter: Exporter, changes: UpdateExporterDto): Promise<ExportParams> {
    const params = await this.#paramsOf(exporter.owner_id, changed(exporter, changes));
    return changes.destination === undefined ? { ...params, destination: exporter.params.destination } : params;
  }

  async #paramsOf(ownerId: string, body: CreateExporterDto): Promise<ExportParams> {
    if (!SOURCES_OF_RUNS.includes(body.source)) return this.exports.paramsOf(ownerId, body);
    if (body.skript_id !== undefined) return this.exports.paramsOfRuns(ownerId, body);
    const message = `is missing: the source ${body.source} needs it, unless you create a single export`;
    throw new ApiError('validation_failed', `skript_id ${message}.`, [{ field: 'skript_id', message }]);
  }
}

/**
 * Returns the columns that change with what an exporter exports.
 * @param before the exporter as it was when `params` were checked.
 * @throws {ApiError} 409 `conflict`.
 */
async function contentOf(
  transaction: EntityManager,
  before: Exporter,
  exporter: Exporter,
  params: ExportParams,
): Promise<{ params: object; exported_until?: null; exported_ids?: null }> {
  if (JSON.stringify(before.params) !== JSON.stringify(exporter.params)) {
    throw new ApiError('conflict', 'Somebody else has just changed this exporter. Load it again, then change it.');
  }
  if (!isOtherData(exporter.params.source, params.source)) return { params };
  // An export that ends later would record up to when it has exported the former data.
  if (exporter.only_new && (await hasOpenExport(transaction, exporter.owner_id, exporter.id))) {
    throw new ApiError('conflict', 'An export of this exporter is queued or running. Wait until it ends.');
  }
  return { params, exported_until: null, exported_ids: null };
}

/** @throws {ApiError} 409 `name_taken`. */
async function translatingNameTaken(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'exporters_name')) throw error;
    throw new ApiError('name_taken', `You already have an exporter named ${name}. Choose another name.`);
  }
}

/** Returns an exporter that may have been deleted. */
export function findExporter(manager: EntityManager, id: string): Promise<Exporter | null> {
  return manager.findOneBy(Exporter, { id });
}

/** @throws {ApiError} 404. */
async function lock(transaction: EntityManager, ownerId: string, id: string): Promise<Exporter> {
  const where = { id, owner_id: ownerId };
  return (await transaction.findOne(Exporter, { where, lock: { mode: 'pessimistic_write' } })) ?? throwNotFound(id);
}

/** Locks an enabled exporter. Returns null also if another backend handles it. */
export function lockEnabled(manager: EntityManager, id: string): Promise<Exporter | null> {
  return manager.findOne(Exporter, {
    where: { id, enabled: true },
    lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
  });
}

function throwNotFound(id: string): never {
  throw notFound('exporter', id);
}

/** The rows of a live run wait for the export after that run. Other collections do not say which run stored what. */
function exportedBefore({ exported_ids, exported_until, skript_id, params }: Exporter): ExportedBefore {
  const hasRowsOfRuns = skript_id !== null && params.source.collection === ROWS_PREFIX + skript_id;
  const until = exported_until?.toISOString() ?? null;
  return { ids: exported_ids, until, awaits_runs_of: hasRowsOfRuns ? skript_id : null };
}

/** Plans when an exporter is due next. @throws {ApiError} 400 for a wrong span or time zone. */
export const plan = (
  { cron_span, time_zone }: Pick<Exporter, 'cron_span' | 'time_zone'>,
  now: Date,
): Pick<Exporter, 'next_at' | 'planned_at'> => ({
  next_at: cron_span === null ? null : checkCronSpan({ cron_span, time_zone }, now),
  planned_at: now,
});

const tooMany = (): ApiError =>
  new ApiError('quota_exceeded', `You have ${MAX_EXPORTERS} exporters, which is the limit. Delete one first.`);

function toDto(row: Exporter): ExporterDto {
  const { db_id, collection, filter, table, schema, sql, group, fields, ...settings } = settingsOf(row);
  return {
    ...entityFields(row),
    ...settings,
    db_id: db_id ?? null,
    collection: collection ?? null,
    filter: filter ?? null,
    table: table ?? null,
    schema: schema ?? null,
    sql: sql ?? null,
    group: group ?? null,
    fields: fields ?? null,
    destination: shown(row.params.destination),
    cron_span: row.cron_span,
    skript_id: row.skript_id,
    next_at: row.enabled ? (row.next_at?.toISOString() ?? null) : null,
    exported_until: row.exported_until?.toISOString() ?? null,
  };
}
