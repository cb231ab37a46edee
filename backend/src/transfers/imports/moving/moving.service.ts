import { Injectable } from '@nestjs/common';
import { MongoAccessService } from '../../../data/storage/access/mongo-access.service.js';
import { WRITE } from '../../../data/storage/mongodb/call-options.js';
import { CollectionLimitService } from '../../../data/storage/mongodb/collection-limit.service.js';
import { ApiError } from '../../../platform/common/errors.js';
import type { JobContext, TakenJob } from '../../../platform/jobs/job-kinds.service.js';
import { BadRowLines } from '../bad-rows.js';
import type { Import } from '../import.entity.js';
import type { ImportResult, MongoParams } from '../import-params.js';
import { ImportsRepository } from '../imports.repository.js';
import { isHandedOver } from './aborts.js';
import { type MergePlan, moveRows, type RenamePlan, renameStaging } from './move-rows.js';
import { slicesOf } from './slices.js';
import { Staging } from './staging.js';

/** Bad rows of one slice that are kept. */
const MAX_SLICE_CHARS = 4 * 1024 * 1024;

type ImportJob = TakenJob<MongoParams>;

/** Moves staged rows into the collection. After a crash it continues, so that every row arrives exactly once. */
@Injectable()
export class MovingService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly access: MongoAccessService,
    private readonly collectionLimit: CollectionLimitService,
  ) {}

  /** @throws {ApiError} 404 if the database is deleted, 409 `name_taken` if a new collection has got a namesake. */
  async move(job: ImportJob, context: JobContext): Promise<ImportResult> {
    const row = await this.imports.find(job.params.import_id);
    if (!row?.move || !row.staging) throw new Error('an import without a plan cannot be moved');
    const plan = row.move;
    if (plan.way === 'commit') throw new Error('the rows of this import are in PostgreSQL');
    return plan.way === 'rename' ? this.#rename(job, context, row.staging, plan) : this.#merge(job, context, row, plan);
  }

  async #rename(job: ImportJob, context: JobContext, name: string, plan: RenamePlan): Promise<ImportResult> {
    const { uuid, last, rows } = plan;
    await this.#inDatabase(job, async db => {
      await renameStaging(new Staging(db, name, false), job.params.collection, uuid);
      this.collectionLimit.forget(db.databaseName);
    });
    context.progress({ rows_read: last, rows_moved: rows });
    return { inserted: rows, updated: 0 };
  }

  async #merge(job: ImportJob, context: JobContext, row: Import, plan: MergePlan): Promise<ImportResult> {
    const { owner_id, params } = job;
    const name = String(row.staging);
    const merge = {
      target: params.collection,
      key: params.key,
      fields: params.columns.map(({ field }) => field),
    };
    const lines = BadRowLines.of(params);
    let badRows = row.bad_rows;
    let firstRefused = '';
    await this.#inDatabase(job, db => this.collectionLimit.ensure(db, params.collection));
    for (const slice of slicesOf(row.moved_to, plan.last)) {
      const [, to] = slice;
      // A cancelled import is not handed over: nothing but the rest of the move can undo what is done.
      if (isHandedOver(context.signal)) throw context.signal.reason;
      const refused = await this.#inDatabase(job, db => moveRows(new Staging(db, name, true), merge, slice));
      let text = badRows === 0 ? lines.header() : '';
      for (const { number, reason, document } of refused) {
        if (text.length < MAX_SLICE_CHARS) text += lines.lineOf(number, reason, document);
      }
      const isHeld = await this.imports.saveMoved(params.import_id, job, to, text, refused.length);
      if (!isHeld) throw new Error('another backend has taken the import');
      badRows += refused.length;
      const [first] = refused;
      if (first) firstRefused ||= ` Row ${first.number}: ${first.reason}`;
      context.progress({ rows_read: plan.last, rows_moved: Math.min(to, plan.rows) });
    }
    this.access.markChanged(owner_id);
    const refused = badRows - plan.badRows;
    const moved = plan.rows - refused;
    context.progress({ rows_read: plan.last, rows_moved: moved });
    if (refused > 0 && !params.skip_bad_rows) throw incomplete(moved, plan.rows, firstRefused);
    await this.#inDatabase(job, async db => {
      await db.dropCollection(name, WRITE);
      this.collectionLimit.forget(db.databaseName);
    });
    return { inserted: Math.max(0, moved - plan.updates), updated: Math.min(moved, plan.updates) };
  }

  /** Looks up the database for each step, because its owner may delete it meanwhile. */
  #inDatabase<T>({ owner_id, params }: ImportJob, work: Parameters<typeof this.access.onDatabase<T>>[2]): Promise<T> {
    return this.access.onDatabase(owner_id, params.db_id, work, false);
  }
}

/** An import that stores fewer rows than its owner asked for is not done. */
const incomplete = (moved: number, rows: number, firstRefused: string): ApiError =>
  new ApiError(
    'conflict',
    `${moved} of ${rows} rows are in the collection, because something else changed it while Trawl moved them.${firstRefused} Download the bad rows and import them, corrected.`,
  );
