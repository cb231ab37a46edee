import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { ApiError } from '../../platform/common/errors.js';
import { Contention } from '../../platform/common/shares/contention.service.js';
import {
  type JobContext,
  type JobEnd,
  type JobKind,
  JobKinds,
  type TakenJob,
} from '../../platform/jobs/job-kinds.service.js';
import { isStorageOutage, MAX_OUTAGES, waitOutOutage } from '../../platform/jobs/outages.js';
import { recordEvents } from '../../platform/notifications/record-events.js';
import type { DeliveredFile } from './destinations/destination.js';
import { ExportDestinations, type StoredDestination } from './destinations/export-destinations.service.js';
import { ExportFilesService } from './export-files.service.js';
import { ExportedIds, type Found } from './exporters/exported-ids.service.js';
import { liveRunsOf, setExported, sumOfFiles } from './exporters/exporters.repository.js';
import { FORMATS } from './formats/formats.js';
import { type ReadBatches, type WriteOptions, writeExport } from './formats/write-export.js';
import { CollectionSource } from './sources/collection-source.service.js';
import { ExportSources } from './sources/export-sources.service.js';
import type { SourceParams } from './sources/source.js';

export const EXPORT = 'export';
const MB = 1_000_000;
const DEADLINE_MS = 60 * 60_000;

/** The parameters of an export, as its job stores them. */
export interface ExportParams {
  source: SourceParams;
  options: WriteOptions;
  file_name: string;
  /** ISO times; null for no limit. */
  added_from: string | null;
  added_before: string | null;
  destination: StoredDestination | null;
  /** The exporter that made the export. */
  exporter_id: string | null;
  /** What the exporter has exported before, if it exports only what is new. */
  exported: ExportedBefore | null;
}

export interface ExportedBefore {
  /** A file of `ExportedIds`. */
  ids: string | null;
  /** When the last export began to read, as an ISO time. */
  until: string | null;
  /** A skript whose live runs may still store rows. Their rows are not exported yet. */
  awaits_runs_of: string | null;
}

export interface ExportResult {
  rows: number;
  bytes: number;
  /** Numbers that the file has as text; see `FormatOptions`. Exports of older versions lack it. */
  numbers_as_text?: number;
  /** The file of `ExportedIds` that counts when the export is done. */
  exported_ids?: string;
}

/** Makes the files of exports. */
@Injectable()
export class ExportJobs implements JobKind<ExportParams, ExportResult>, OnModuleInit {
  readonly deadlineMs = DEADLINE_MS;

  constructor(
    private readonly kinds: JobKinds,
    private readonly sources: ExportSources,
    private readonly collections: CollectionSource,
    private readonly exportedIds: ExportedIds,
    private readonly files: ExportFilesService,
    private readonly destinations: ExportDestinations,
    private readonly dataSource: DataSource,
    private readonly contention: Contention,
    @Inject(CONFIG) private readonly config: Pick<Config, 'exportMb'>,
  ) {}

  onModuleInit(): void {
    this.kinds.register(EXPORT, this);
  }

  /** Waits a few minutes while a database is away. */
  async run(job: TakenJob<ExportParams>, context: JobContext): Promise<ExportResult> {
    const { signal } = context;
    for (let outages = 0; ; outages += 1) {
      try {
        return await this.#attempt(job, context);
      } catch (error) {
        if (!isStorageOutage(error) || outages >= MAX_OUTAGES) throw error;
        await waitOutOutage(outages, signal);
        signal.throwIfAborted();
      }
    }
  }

  async #attempt(job: TakenJob<ExportParams>, { signal, progress }: JobContext): Promise<ExportResult> {
    const { id, owner_id, params, attempt } = job;
    if (attempt > 1) await this.files.removeEarlier(id, attempt);
    const { source, options, added_from, added_before } = params;
    const added = { from: dateOf(added_from), to: dateOf(added_before) };
    const from = this.sources.get(source.source);
    const found = await this.#findNew(job, signal);
    const only = found?.ids;
    const { fields } = options;
    const read: ReadBatches = declare =>
      this.contention.paced(owner_id, from.read(owner_id, source, { fields, added, only, declare, signal }));
    let rows = 0;
    let numbers_as_text = 0;
    const onNumberAsText = () => {
      numbers_as_text += 1;
    };
    const pieces = await writeExport(read, { ...options, onNumberAsText }, count => {
      rows = count;
      progress({ rows });
    });
    const room = await this.#room(owner_id);
    const bytes = await this.files.write(id, attempt, within(room, pieces), signal);
    const result = { rows, bytes, numbers_as_text, ...(found ? { exported_ids: found.file } : {}) };
    try {
      await this.#deliver(job, result, signal);
    } catch (error) {
      await this.files.discard(id, attempt);
      throw error;
    }
    return result;
  }

  async onEnd(transaction: EntityManager, job: TakenJob<ExportParams>, end: JobEnd<ExportResult>): Promise<void> {
    await this.#tell(transaction, job, end);
    if (end.state !== 'done') return this.files.remove(job.id);
    const { destination, exporter_id, added_before: until } = job.params;
    const { exported_ids: ids = null } = end.result;
    if (destination) {
      await this.destinations.get(destination.type).record?.(transaction, this.#fileOf(job, end.result));
    }
    if (exporter_id && (ids || until)) await setExported(transaction, exporter_id, job.id, { ids, until });
    await this.files.publish(job.id, job.attempt);
  }

  /** Finds what an exporter has not exported before; null for exports of all. */
  async #findNew(
    { id, owner_id, params, attempt }: TakenJob<ExportParams>,
    signal: AbortSignal,
  ): Promise<Found | null> {
    const { source, exporter_id, exported } = params;
    if (!exported || !exporter_id) return null;
    const { awaits_runs_of } = exported;
    const without = awaits_runs_of === null ? [] : await liveRunsOf(this.dataSource, owner_id, awaits_runs_of);
    const scan = () => this.contention.paced(owner_id, this.collections.readIds(owner_id, source, without, signal));
    return this.exportedIds.find(`${exporter_id}.${id}.${attempt}`, exported, scan);
  }

  /** Returns how many bytes the account's files may still take. */
  async #room(ownerId: string): Promise<number> {
    const { exportMb } = this.config;
    if (exportMb === 0) return Number.POSITIVE_INFINITY;
    return exportMb * MB - (await sumOfFiles(this.dataSource, ownerId));
  }

  async #deliver(job: TakenJob<ExportParams>, result: ExportResult, signal: AbortSignal): Promise<void> {
    const { destination } = job.params;
    if (!destination) return;
    const opened = this.destinations.open(job.owner_id, destination);
    await this.destinations.get(destination.type).send?.(this.#fileOf(job, result), opened, signal);
  }

  /** Records the event of an export that its owner did not cancel. */
  async #tell(
    transaction: EntityManager,
    { id, owner_id, params }: TakenJob<ExportParams>,
    end: JobEnd<ExportResult>,
  ): Promise<void> {
    if (end.state === 'cancelled') return;
    const isDone = end.state === 'done';
    const data = {
      export: { id, name: params.file_name },
      exporter_id: params.exporter_id,
      state: end.state,
      rows: isDone ? end.result.rows : null,
      bytes: isDone ? end.result.bytes : null,
      link: isDone ? this.files.linkTo(id) : null,
      error_code: isDone ? null : end.error_code,
      error_message: isDone ? null : end.error_message,
    };
    await recordEvents(transaction, [{ ownerId: owner_id, type: 'export.finished', data }]);
  }

  #fileOf({ id, owner_id, params, attempt }: TakenJob<ExportParams>, { rows, bytes }: ExportResult): DeliveredFile {
    const { contentType } = FORMATS[params.options.format];
    const name = params.file_name;
    const link = this.files.linkTo(id);
    return { id, ownerId: owner_id, path: this.files.partOf(id, attempt), name, contentType, bytes, rows, link };
  }
}

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

/** Passes on the pieces of a file. @throws {ApiError} 429 `quota_exceeded` when they exceed `room` bytes. */
async function* within(room: number, pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = room;
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) {
      throw new ApiError(
        'quota_exceeded',
        'The files of your exports would exceed the limit of this platform. Delete exports that you no longer need.',
      );
    }
    yield piece;
  }
}
