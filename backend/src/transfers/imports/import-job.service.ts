import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../../platform/common/errors.js';
import {
  type JobContext,
  type JobEnd,
  type JobKind,
  JobKinds,
  type TakenJob,
} from '../../platform/jobs/job-kinds.service.js';
import { isStorageOutage, MAX_OUTAGES, waitOutOutage } from '../../platform/jobs/outages.js';
import { recordEvents } from '../../platform/notifications/record-events.js';
import type { Import } from './import.entity.js';
import { IMPORT_KIND, type ImportParams, type ImportResult, isForTable, type MongoParams } from './import-params.js';
import { ImportsRepository } from './imports.repository.js';
import { held, isHandedOver } from './moving/aborts.js';
import { MovingService } from './moving/moving.service.js';
import { StagingService } from './moving/staging.service.js';
import { TableImportService } from './tables/table-import.service.js';

/** An import that moves rows at its deadline continues in another job. */
const DEADLINE_MS = 2 * 60 * 60_000;

/** Runs imports: stages the rows of the file, and then moves them into the collection; or writes them into a table. */
@Injectable()
export class ImportJobService implements JobKind<ImportParams, ImportResult>, OnModuleInit {
  readonly deadlineMs = DEADLINE_MS;

  constructor(
    private readonly kinds: JobKinds,
    private readonly imports: ImportsRepository,
    private readonly staging: StagingService,
    private readonly moving: MovingService,
    private readonly tables: TableImportService,
  ) {}

  onModuleInit(): void {
    this.kinds.register(IMPORT_KIND, this);
  }

  /** Waits a few minutes while MongoDB or the PostgreSQL of users is away. `ImportSweepService` continues an import that has begun to move rows. */
  async run(job: TakenJob<ImportParams>, context: JobContext): Promise<ImportResult> {
    const { signal } = context;
    for (let outages = 0; ; outages += 1) {
      try {
        return await this.#attempt(job, context);
      } catch (error) {
        const row = await this.imports.findHeld(job.params.import_id, job);
        // Another attempt has the import now, with a staging collection of its own.
        if (!row || isHandedOver(signal)) throw error;
        if (isOvertaken(error, row)) {
          // Then the rows are staged anew, to be merged with the documents of the collection.
          await this.staging.drop(row);
          continue;
        }
        const willContinue = row.move !== null && mayContinue(error);
        if (!isStorageOutage(error) || outages >= MAX_OUTAGES || (signal.aborted && !row.move)) {
          if (!willContinue) await this.staging.drop(row);
          throw willContinue ? duringMove(error, row) : error;
        }
        await waitOutOutage(outages, signal.aborted ? undefined : signal);
      }
    }
  }

  async onEnd(transaction: EntityManager, job: TakenJob<ImportParams>, end: JobEnd<ImportResult>): Promise<void> {
    const { import_id } = job.params;
    if (end.state === 'done') await this.imports.finishImport(transaction, import_id);
    await this.#tell(transaction, job, end);
  }

  /** Records the event of an import that its owner did not cancel, and that no other job continues. */
  async #tell(
    transaction: EntityManager,
    { owner_id, params }: TakenJob<ImportParams>,
    end: JobEnd<ImportResult>,
  ): Promise<void> {
    const row = await this.imports.find(params.import_id, transaction);
    if (end.state === 'cancelled' || !row || row.move) return;
    const isDone = end.state === 'done';
    const data = {
      import: { id: row.id, name: row.name },
      db_id: isForTable(params) ? null : params.db_id,
      collection: isForTable(params) ? null : params.collection,
      table: isForTable(params) ? `${params.schema}.${params.table}` : null,
      state: end.state,
      inserted: isDone ? end.result.inserted : null,
      updated: isDone ? end.result.updated : null,
      bad_rows: row.bad_rows,
      error_code: isDone ? null : end.error_code,
      error_message: isDone ? null : end.error_message,
    };
    await recordEvents(transaction, [{ ownerId: owner_id, type: 'import.finished', data }]);
  }

  async #attempt({ params, ...taken }: TakenJob<ImportParams>, context: JobContext): Promise<ImportResult> {
    const row = await held(context.signal, this.imports.findHeld(params.import_id, taken));
    if (isForTable(params)) return this.tables.run({ ...taken, params }, context, row);
    const job: TakenJob<MongoParams> = { ...taken, params };
    if (!row.move && !(await this.staging.stage(job, context, row))) return { inserted: 0, updated: 0 };
    return this.moving.move(job, context);
  }
}

/** Tells whether the collection was to be new, but something else has created it meanwhile. */
const isOvertaken = (error: unknown, { move }: Import): boolean =>
  move?.way === 'rename' && error instanceof ApiError && error.code === 'name_taken';

/** Tells whether a move may succeed later: after an error of the database, such as a full disk, or of Trawl itself. */
const mayContinue = (error: unknown): boolean => !(error instanceof ApiError) || error.code.startsWith('storage_');

/** Adds how far the import has come, for its owner. */
function duringMove(error: unknown, { move, moved_to }: Import): unknown {
  if (!(error instanceof ApiError) || !move) return error;
  if (move.way === 'commit') {
    return new ApiError(
      error.code,
      `${error.message} Trawl asks PostgreSQL again by itself, and then shows the outcome.`,
    );
  }
  const rows = move.way === 'rename' ? 'No rows are' : `The rows up to ${moved_to} of ${move.last} are`;
  return new ApiError(error.code, `${error.message} ${rows} in the collection so far. Trawl continues by itself.`);
}
