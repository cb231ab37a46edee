import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { type DeletedDto, entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { fileNameOf } from '../../platform/http/file-name.js';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { listPage } from '../../platform/http/lists/list-rows.js';
import type { Job } from '../../platform/jobs/job.entity.js';
import { JobsService } from '../../platform/jobs/jobs.service.js';
import { ExportDestinations, shown } from './destinations/export-destinations.service.js';
import { ExportFilesService } from './export-files.service.js';
import { EXPORT, type ExportParams, type ExportResult } from './export-jobs.service.js';
import { writeOptionsOf } from './export-query.js';
import type { CreateExportDto, ExportDto, ExportsListQuery } from './exports.dto.js';
import { FORMATS } from './formats/formats.js';
import { ExportSources, type SourceName } from './sources/export-sources.service.js';
import { checkFieldsOfRun } from './sources/run-source.service.js';

export const SORTABLE = ['created_at', 'updated_at', 'ended_at'];
const DAY_MS = 24 * 60 * 60 * 1_000;

type ExportJob = Job<ExportParams, ExportResult>;

/** Creates, lists, cancels and deletes exports. */
@Injectable()
export class ExportsService {
  constructor(
    private readonly jobs: JobsService,
    private readonly files: ExportFilesService,
    private readonly sources: ExportSources,
    private readonly destinations: ExportDestinations,
    @Inject(CONFIG) private readonly config: Pick<Config, 'jobDays'>,
  ) {}

  /** @throws {ApiError} 400, 404, 429 `too_many_requests`. */
  async create(ownerId: string, body: CreateExportDto): Promise<ExportDto> {
    const params = await this.paramsOf(ownerId, body);
    return this.#toDto((await this.jobs.add(ownerId, EXPORT, params)) as ExportJob);
  }

  /** Checks what to export. @throws {ApiError} 400, 404. */
  async paramsOf(ownerId: string, body: CreateExportDto): Promise<ExportParams> {
    const name = await this.sources.get(body.source).check(ownerId, body);
    return this.#paramsOf(ownerId, body, name);
  }

  /** Does the same for the rows of runs that are not known yet. */
  async paramsOfRuns(ownerId: string, body: CreateExportDto): Promise<ExportParams> {
    checkFieldsOfRun(body);
    return this.#paramsOf(ownerId, body, body.source === 'run' ? 'rows' : body.source);
  }

  #paramsOf(ownerId: string, body: CreateExportDto, name: string): ExportParams {
    const { source, db_id, collection, filter, execution_id, schema, table, sql, group, destination } = body;
    return {
      source: { source, db_id, collection, filter, execution_id, schema, table, sql, group },
      options: writeOptionsOf(body),
      file_name: `${fileNameOf(name, 'export')}.${FORMATS[body.format].extension}`,
      added_from: body.added_from ?? null,
      added_before: body.added_before ?? null,
      destination: destination ? this.destinations.seal(ownerId, destination) : null,
      exporter_id: null,
      exported: null,
    };
  }

  list(ownerId: string, query: ExportsListQuery): Promise<List<ExportDto>> {
    const matching = this.jobs.of(ownerId, EXPORT);
    if (query.state) matching.andWhere('job.state = :state', { state: query.state });
    if (query.exporter_id) {
      // Parameters of other kinds may contain a NUL character, for which `->>` fails.
      matching.andWhere(`CASE job.kind WHEN '${EXPORT}' THEN job.params ->> 'exporter_id' END = :exporter`, {
        exporter: query.exporter_id,
      });
    }
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows =>
      rows.map(row => this.#toDto(row as ExportJob)),
    );
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ExportDto> {
    return this.#toDto(await this.#find(ownerId, id));
  }

  /** @throws {ApiError} 404. */
  async cancel(ownerId: string, id: string): Promise<ExportDto> {
    return this.#toDto((await this.jobs.cancel(ownerId, EXPORT, id)) as ExportJob);
  }

  /** @throws {ApiError} 404. */
  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.jobs.delete(ownerId, EXPORT, id);
    await this.files.remove(id);
    return { deleted: { exports: 1 } };
  }

  /** Returns where the file of a done export is. @throws {ApiError} 404, 409 `conflict` if it is not done. */
  async file(ownerId: string, id: string): Promise<{ path: string; name: string; contentType: string }> {
    const { state, params } = await this.#find(ownerId, id);
    if (state !== 'done') {
      throw new ApiError(
        'conflict',
        `This export has no file: its state is ${state}. ${['queued', 'running'].includes(state) ? 'Wait until it is done.' : 'Create a new one.'}`,
      );
    }
    const { contentType } = FORMATS[params.options.format];
    return { path: this.files.pathOf(id), name: params.file_name, contentType };
  }

  /** Returns where the file of a signed link is. @throws {ApiError} 404. */
  async linkedFile(id: string, signature: string): Promise<{ path: string; name: string; contentType: string }> {
    const job = this.files.isSignature(id, signature) ? await this.jobs.find(EXPORT, id) : null;
    if (job?.state !== 'done') throw fileGone(id);
    return this.file(job.owner_id, id);
  }

  async #find(ownerId: string, id: string): Promise<ExportJob> {
    return (await this.jobs.get(ownerId, EXPORT, id)) as ExportJob;
  }

  #toDto(job: ExportJob): ExportDto {
    const { params, result, ended_at } = job;
    return {
      ...entityFields(job),
      state: job.state,
      source: params.source.source as SourceName,
      format: params.options.format,
      destination: shown(params.destination),
      exporter_id: params.exporter_id,
      file_name: params.file_name,
      rows: result?.rows ?? job.progress.rows ?? 0,
      bytes: result?.bytes ?? null,
      numbers_as_text: result?.numbers_as_text ?? 0,
      link: job.state === 'done' ? this.files.linkTo(job.id) : null,
      error_code: job.error_code,
      error_message: job.error_message,
      started_at: job.started_at?.toISOString() ?? null,
      ended_at: ended_at?.toISOString() ?? null,
      expires_at: ended_at ? new Date(ended_at.getTime() + this.config.jobDays * DAY_MS).toISOString() : null,
    };
  }
}

export const fileGone = (id: string): ApiError => notFound('file of an export', id);
