import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { mongo } from 'mongoose';
import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { checkCollectionName, MongoAccessService } from '../../data/storage/access/mongo-access.service.js';
import { invalid, toRelaxed } from '../../data/storage/values/extended-json.js';
import { type DeletedDto, entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { listPage } from '../../platform/http/lists/list-rows.js';
import { Job } from '../../platform/jobs/job.entity.js';
import { JobsService } from '../../platform/jobs/jobs.service.js';
import { Import } from './import.entity.js';
import { IMPORT_KIND, type ImportParams, type TableParams } from './import-params.js';
import type { ImportDto, ImportPreviewDto, PreviewQuery, ReadingDto, StartImportDto } from './imports.dto.js';
import { ImportsRepository, JOB_COLUMNS, type JobView } from './imports.repository.js';
import { uniqueIndexesOf } from './moving/staging.js';
import type { Encoding } from './parsing/encodings.js';
import { documentReader, type Format, type Inspection, inspect, isTable } from './reading/rows.js';
import { ImportPlansService } from './tables/import-plans.service.js';
import { nameProblem as tableNameProblem } from './tables/table-columns.js';
import { checkColumns, nameProblem } from './values/columns.js';

export const SORTABLE = ['created_at', 'updated_at'];
const MAX_KEY_FIELDS = 8;
const PREVIEW_ROWS = 20;
/** Number of later rows with characters beyond ASCII, because only these show whether the encoding is right. */
const LATER_ROWS = 5;
const UNICODE_FORMATS = new Set<Format>(['xlsx', 'parquet']);
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Number of values in a preview, so that a file with thousands of columns gets a short one. */
const PREVIEW_CELLS = 20_000;

/** The job is null until the import is started. */
type ImportWithJob = Import & { job: JobView | null };

@Injectable()
export class ImportsService {
  constructor(
    @InjectRepository(Import) private readonly rows: Repository<ImportWithJob>,
    private readonly imports: ImportsRepository,
    private readonly jobs: JobsService,
    private readonly access: MongoAccessService,
    private readonly plans: ImportPlansService,
  ) {}

  async list(ownerId: string, query: ListQuery): Promise<List<ImportDto>> {
    return listPage(this.#withJobs(ownerId), query, parseSort(query.sort, SORTABLE), rows => rows.map(toDto));
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ImportDto> {
    return toDto(await this.#find(ownerId, id));
  }

  /** @throws {ApiError} 400 for a file that cannot be read, 404, 409 `conflict` when its file is deleted. */
  async preview(ownerId: string, id: string, query: PreviewQuery): Promise<ImportPreviewDto> {
    const row = await this.#find(ownerId, id);
    assertNotDone(row.job);
    const inspection = await this.#inspect(row, query, query.table !== undefined);
    const plan = query.table === undefined ? null : await this.plans.of(ownerId, inspection, query.schema, query.table);
    const { reading, sheets, sample, problem } = inspection;
    const { names, columns } = plan ?? inspection;
    const toDocument = plan?.toRow ?? documentReader(reading, inspection.columns, names.length);
    const shown = Math.min(PREVIEW_ROWS, Math.max(1, Math.floor(PREVIEW_CELLS / Math.max(1, names.length))));
    const documents: Record<string, unknown>[] = [];
    const most = shown + (UNICODE_FORMATS.has(reading.format) ? 0 : Math.min(LATER_ROWS, shown));
    const bad_rows: ImportPreviewDto['bad_rows'] = [];
    for (const [at, sent] of sample.entries()) {
      try {
        const document = toDocument(sent);
        const isShown =
          documents.length < shown || (documents.length < most && BEYOND_ASCII.test(JSON.stringify(sent)));
        if (isShown) documents.push(plan ? document : toRelaxed(document));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (bad_rows.length < PREVIEW_ROWS) bad_rows.push({ row: at + 1, reason: error.message });
      }
    }
    if (problem !== undefined) bad_rows.push({ row: sample.length + 1, reason: problem });
    return {
      format: reading.format,
      ...(UNICODE_FORMATS.has(reading.format) ? {} : { encoding: reading.encoding }),
      ...(reading.format === 'csv' ? { delimiter: reading.delimiter } : {}),
      ...(reading.format === 'csv' || reading.format === 'xlsx' ? { skip_lines: reading.skip_lines ?? 0 } : {}),
      ...(sheets && reading.sheet !== undefined ? { sheets, sheet: reading.sheet } : {}),
      columns: columns.map(({ index, field, type }) => ({ index, field, type, name: names[index] ?? '' })),
      ...(plan ? { table_columns: plan.table?.columns.map(({ name }) => name) ?? null } : {}),
      documents,
      bad_rows,
    };
  }

  /**
   * Queues the import.
   * @throws {ApiError} 400 naming the faulty field, 404, 409 `conflict` if it runs or is done, 422 `storage_rejected` if
   * the collection has no unique index for the key, 429 if too many jobs are queued.
   */
  async start(ownerId: string, id: string, body: StartImportDto): Promise<ImportDto> {
    const row = await this.#find(ownerId, id);
    assertNotDone(row.job);
    const params = await this.#paramsOf(ownerId, row, body);
    const jobId = uuidv7();
    await this.rows.manager.transaction(async transaction => {
      const locked = await this.#lock(transaction, ownerId, id);
      const job = await this.imports.jobOf(locked);
      assertNotDone(job);
      if (isOpen(job) || locked.move) throw new ApiError('conflict', 'The import is already running.');
      await this.jobs.addIn(transaction, { id: jobId, ownerId, kind: IMPORT_KIND, params });
      await this.imports.setJob(transaction, id, jobId, params);
    });
    this.jobs.flush();
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404, 409 `conflict` if it moves its rows already, or has not been started. */
  async cancel(ownerId: string, id: string): Promise<ImportDto> {
    await this.rows.manager.transaction(async transaction => {
      const row = await this.#lock(transaction, ownerId, id);
      if (!row.job_id) throw new ApiError('conflict', 'The import has not been started.');
      if (row.move) {
        throw new ApiError(
          'conflict',
          'The import has checked all rows and moves them into the collection or table, so it cannot be cancelled any more.',
        );
      }
      await this.jobs.cancel(ownerId, IMPORT_KIND, row.job_id);
    });
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404, also if there are none. */
  async badRows(ownerId: string, id: string): Promise<{ bytes: AsyncIterable<Buffer>; isCsv: boolean }> {
    const row = await this.#find(ownerId, id);
    if (row.bad_rows === 0) throw new ApiError('not_found', 'The import has no bad rows.');
    return { bytes: this.imports.read(id, 'bad_rows'), isCsv: isTable(row.format) };
  }

  /** @throws {ApiError} 404, 409 `conflict` while it runs. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.rows.manager.transaction(async transaction => {
      const row = await this.#lock(transaction, ownerId, id);
      if (isOpen(await this.imports.jobOf(row)) || row.staging || row.move) {
        throw new ApiError('conflict', 'The import is running. Cancel it first, or wait until it has ended.');
      }
      await transaction.delete(Import, { id });
    });
    return { deleted: { imports: 1 } };
  }

  async #paramsOf(ownerId: string, row: Import, body: StartImportDto): Promise<ImportParams> {
    const { db_id, collection: name } = body;
    if (body.table !== undefined) {
      const extra = db_id !== undefined ? 'db_id' : name !== undefined ? 'collection' : undefined;
      if (extra) throw invalid(extra, 'cannot be combined with table');
      return this.#tableParamsOf(ownerId, row, body, body.table);
    }
    if (db_id === undefined) throw invalid('db_id', 'is missing: name a database and a collection, or a table');
    if (name === undefined) throw invalid('collection', 'is missing: name a database and a collection, or a table');
    checkCollectionName(name, 'collection');
    const inspection = await this.#inspect(row, body);
    const { reading, names } = inspection;
    if (!isTable(reading.format) && body.columns !== undefined)
      throw invalid('columns', 'is only for CSV, XLSX and Parquet');
    const columns = body.columns === undefined ? inspection.columns : checkColumns(body.columns, inspection.columns);
    const key = checkKey(body.key ?? []);
    const unknown = isTable(reading.format) && key.find(field => !columns.some(column => column.field === field));
    if (unknown) throw invalid('key', `no column has the field ${unknown}`);
    await this.access.onCollection(ownerId, db_id, name, async (collection, db) => {
      const [exists] = await db.listCollections({ name }, { nameOnly: true }).toArray();
      if (exists && !(await hasKeyIndex(collection, key))) {
        throw new ApiError(
          'storage_rejected',
          `The collection has no unique index on exactly ${key.join(', ')}. Add one, so that each row finds its document.`,
        );
      }
    });
    return {
      import_id: row.id,
      db_id,
      collection: name,
      reading,
      names,
      columns,
      key,
      skip_bad_rows: body.skip_bad_rows,
    };
  }

  async #tableParamsOf(ownerId: string, row: Import, body: StartImportDto, table: string): Promise<TableParams> {
    const { schema, skip_bad_rows } = body;
    const inspection = await this.#inspect(row, body, true);
    const key = checkKey(body.key ?? [], tableNameProblem);
    const { names, columns, creates } = await this.plans.forStart(ownerId, inspection, { ...body, table, key });
    return {
      import_id: row.id,
      schema,
      table,
      creates,
      reading: inspection.reading,
      names,
      columns,
      key,
      skip_bad_rows,
    };
  }

  #inspect(
    { id, name, encoding }: Import,
    { format, encoding: wished, delimiter, skip_lines, sheet, header, decimal_mark }: ReadingDto,
    for_table = false,
  ): Promise<Inspection> {
    return inspect(
      this.imports.source(id),
      { name, encoding: plainEncoding(encoding) ?? undefined },
      {
        ...(format ? { format } : {}),
        ...(wished ? { encoding: wished } : {}),
        ...(delimiter ? { delimiter } : {}),
        ...(skip_lines === undefined ? {} : { skip_lines }),
        ...(sheet === undefined ? {} : { sheet }),
        ...(header === undefined ? {} : { header }),
        ...(decimal_mark ? { decimal_mark } : {}),
        for_table,
      },
    );
  }

  /** Selects an account's imports together with their jobs, so that the figures of both are of the same moment. */
  #withJobs(ownerId: string): SelectQueryBuilder<ImportWithJob> {
    return this.rows
      .createQueryBuilder('i')
      .leftJoinAndMapOne('i.job', Job, 'j', 'j.id = i.job_id')
      .select(['i', ...JOB_COLUMNS.map(column => `j.${column}`)])
      .where('i.owner_id = :ownerId AND i.encoding IS NOT NULL', { ownerId });
  }

  async #find(ownerId: string, id: string): Promise<ImportWithJob> {
    const row = await this.#withJobs(ownerId).andWhere('i.id = :id', { id }).getOne();
    if (!row) throw notFound('import', id);
    return row;
  }

  async #lock(transaction: EntityManager, ownerId: string, id: string): Promise<Import> {
    const row = await this.imports.lock(transaction, ownerId, id);
    if (!row) throw notFound('import', id);
    return row;
  }
}

const isOpen = (job: JobView | null): boolean => job !== null && !job.ended_at;

function assertNotDone(job: JobView | null): void {
  if (job?.state === 'done') throw new ApiError('conflict', 'The import is done, and its file is deleted.');
}

async function hasKeyIndex(collection: mongo.Collection, key: string[]): Promise<boolean> {
  if (key.length === 0 || String(key) === '_id') return true;
  const indexes = await uniqueIndexesOf(collection);
  return indexes.some(({ fields }) => fields.toSorted().join() === key.toSorted().join());
}

function checkKey(sent: unknown, problemOf = nameProblem): string[] {
  if (!Array.isArray(sent) || sent.length > MAX_KEY_FIELDS) {
    throw invalid('key', `must be a list of at most ${MAX_KEY_FIELDS} names of fields`);
  }
  return sent.map((field, at) => {
    const problem = typeof field === 'string' ? problemOf(field) : 'must be text';
    if (problem || sent.indexOf(field) !== at) throw invalid(`key.${at}`, problem ?? 'is in the list twice');
    return field;
  });
}

const plainEncoding = (stored: Import['encoding']): Encoding | null => (stored === 'none' ? null : stored);

const toDto = ({ job, ...row }: ImportWithJob): ImportDto => ({
  ...entityFields(row),
  file_name: row.name,
  bytes: row.bytes,
  encoding: plainEncoding(row.encoding),
  state: job?.state ?? 'uploaded',
  db_id: row.db_id,
  collection: row.collection,
  schema: row.table_schema,
  table: row.table_name,
  rows_read: job?.progress.rows_read ?? 0,
  rows_moved: job?.progress.rows_moved ?? 0,
  bad_rows: row.bad_rows,
  inserted: job?.result?.inserted ?? null,
  updated: job?.result?.updated ?? null,
  error_code: job?.error_code ?? null,
  error_message: job?.error_message ?? null,
  started_at: job?.started_at?.toISOString() ?? null,
  ended_at: job?.ended_at?.toISOString() ?? null,
});
