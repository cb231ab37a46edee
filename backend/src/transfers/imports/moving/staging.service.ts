import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import type { Logger } from 'pino';
import { MongoAccessService } from '../../../data/storage/access/mongo-access.service.js';
import { WRITE } from '../../../data/storage/mongodb/call-options.js';
import { CollectionLimitService } from '../../../data/storage/mongodb/collection-limit.service.js';
import { MongoConnectionService } from '../../../data/storage/mongodb/mongo-connection.service.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import type { JobContext, TakenJob } from '../../../platform/jobs/job-kinds.service.js';
import type { Import } from '../import.entity.js';
import type { MongoParams } from '../import-params.js';
import { ImportsRepository } from '../imports.repository.js';
import { isTable } from '../reading/rows.js';
import { held } from './aborts.js';
import { BadRowsWriter } from './bad-rows-writer.js';
import { countUpdates, findConflicts, removeRows } from './conflicts.js';
import { type MovePlan, uuidOf } from './move-rows.js';
import { RowIds } from './row-ids.js';
import { slicesOf } from './slices.js';
import { type Staged, stageRows } from './stage-rows.js';
import { stagedDocuments } from './staged-documents.js';
import { Staging, type UniqueIndex, uniqueIndexesOf } from './staging.js';

const PREFIX = 'importing-';

/** One attempt to stage the rows of an import. */
interface Work {
  job: TakenJob<MongoParams>;
  context: JobContext;
  staging: Staging;
  target: mongo.Collection;
  isNew: boolean;
  indexes: UniqueIndex[];
  badRows: BadRowsWriter;
  ids: RowIds;
}

/** Reads the rows of a file into a staging collection, checks them, and plans how to move them. */
@Injectable()
export class StagingService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly access: MongoAccessService,
    private readonly collectionLimit: CollectionLimitService,
    private readonly connection: MongoConnectionService,
    private readonly contention: Contention,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stages the rows. From then on, the import must move them.
   * @param earlier the import, with the staging collection of the attempt before this one.
   * @returns false if there are no rows to move.
   * @throws {ApiError} if the rows cannot be imported. Then the collection has not changed.
   */
  async stage(job: TakenJob<MongoParams>, context: JobContext, earlier: Import): Promise<boolean> {
    const { import_id, db_id, collection, key } = job.params;
    return this.access.onCollection(
      job.owner_id,
      db_id,
      collection,
      async (target, db) => {
        // If MongoDB does not answer, the row must keep the name of the collection.
        await this.#dropNow(earlier);
        const name = `${PREFIX}${randomBytes(8).toString('hex')}`;
        await held(context.signal, this.imports.beginStaging(import_id, job, db.databaseName, name));
        await this.collectionLimit.create(db, name);
        const isNew = (await db.listCollections({ name: collection }, { nameOnly: true }).toArray()).length === 0;
        const staging = new Staging(db, name, !isNew);
        const indexes = isNew ? keyIndex(key) : [...(await uniqueIndexesOf(target)), ...idIndex(job.params)];
        await staging.index(indexes);
        const badRows = new BadRowsWriter(this.imports, job, context.signal);
        const idPrefix = earlier.id_prefix ?? RowIds.newPrefix();
        const ids = new RowIds(idPrefix);
        const plan = await this.#fill({ job, context, staging, target, isNew, indexes, badRows, ids });
        if (plan) await held(context.signal, this.imports.beginMoving(import_id, job, plan, idPrefix));
        else await this.#dropNow({ id: import_id, staging_db: db.databaseName, staging: name });
        return plan !== undefined;
      },
      false,
    );
  }

  async #fill(work: Work): Promise<MovePlan | undefined> {
    const { job, staging, isNew, badRows } = work;
    const staged = await this.#read(work);
    const updates = isNew ? 0 : await this.#check(work, staged);
    await badRows.flush();
    if (badRows.count > 0 && !job.params.skip_bad_rows) throw badRows.failure();
    const { rows, last } = staged;
    if (rows === 0 && badRows.count > 0) throw badRows.failure();
    if (rows === 0) return undefined;
    await staging.assertHas(rows);
    const since = (await this.imports.now()).toISOString();
    if (isNew) return { way: 'rename', since, uuid: (await uuidOf(staging.db, staging.name)) ?? '', last, rows };
    // Until the staging collection is dropped, the rows are stored twice.
    await this.access.reserve(job.owner_id, staged.bytes);
    return { way: 'merge', since, last, rows, updates, badRows: badRows.count };
  }

  #read({ job, context, staging, badRows, ids }: Work): Promise<Staged> {
    const { owner_id, params } = job;
    return stageRows({
      source: {
        ...this.imports.source(params.import_id),
        open: () => this.contention.paced(owner_id, this.imports.read(params.import_id, 'source')),
      },
      reading: params.reading,
      convert: stagedDocuments({ params, ids }),
      signal: context.signal,
      store: async (rows, bytes) => {
        await this.access.reserve(owner_id, bytes);
        // Looks up the database again, because its owner may delete it meanwhile.
        return this.access.onDatabase(owner_id, params.db_id, () => staging.insert(rows), false);
      },
      onBadRow: (number, reason, row) => badRows.add(number, reason, row),
      onProgress: rows => context.progress({ rows_read: rows, rows_moved: 0 }),
    });
  }

  /** Removes rows that the collection would refuse. @returns the number of rows that update a document. */
  async #check(work: Work, staged: Staged): Promise<number> {
    const { job, context, staging, target, indexes, badRows } = work;
    const { collectionName } = target;
    const { key } = job.params;
    let updates = 0;
    for (const slice of slicesOf(0, staged.last)) {
      context.signal.throwIfAborted();
      const conflicts = await findConflicts(staging, collectionName, indexes, key, slice);
      for (const conflict of conflicts) await badRows.addConflict(conflict);
      await removeRows(staging, conflicts);
      staged.rows -= conflicts.length;
      if (key.length > 0) updates += await countUpdates(staging, collectionName, key, slice);
    }
    return updates;
  }

  /** Drops the staging collection of an import. If MongoDB is away, `ImportSweepService` does it later. */
  async drop(row: StagedImport): Promise<void> {
    await this.#dropNow(row).catch(error => {
      this.logger.warn({ err: error, import: row.id }, 'drop of a staging collection failed; will retry');
    });
  }

  /**
   * Drops staging collections that no import has. A late write of an attempt that lost its job creates such a collection
   * again after it was dropped.
   */
  async dropOrphans(ownerId: string, dbId: string): Promise<void> {
    await this.access.onDatabase(
      ownerId,
      dbId,
      async db => {
        const found = await db.listCollections({ name: new RegExp(`^${PREFIX}`) }, { nameOnly: true }).toArray();
        // An import has the name of its staging collection before it creates the collection.
        const orphans = await this.imports.withoutImport(found.map(({ name }) => name));
        for (const name of orphans) await db.dropCollection(name, WRITE);
        if (orphans.length > 0) this.collectionLimit.forget(db.databaseName);
      },
      false,
    );
  }

  async #dropNow({ id, staging_db, staging }: StagedImport): Promise<void> {
    if (staging_db === null || staging === null) return;
    const db = await this.connection.db(staging_db);
    await db.dropCollection(staging, WRITE);
    this.collectionLimit.forget(staging_db);
    await this.imports.endStaging(id, staging);
  }
}

type StagedImport = Pick<Import, 'id' | 'staging_db' | 'staging'>;

/** A new collection gets a unique index for its key, so that the next import finds it. */
const keyIndex = (key: string[]): UniqueIndex[] =>
  key.length === 0 || String(key) === '_id' ? [] : [{ fields: key, sparse: false }];

/** The index on `_id`, if the file may have any. Trawl's own values are always new. */
const idIndex = ({ reading, columns }: MongoParams): UniqueIndex[] =>
  !isTable(reading.format) || columns.some(({ field }) => field === '_id') ? [{ fields: ['_id'], sparse: false }] : [];
