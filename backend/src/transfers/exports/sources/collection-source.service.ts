import { Injectable } from '@nestjs/common';
import { deserialize, ObjectId } from 'bson';
import { validate as isUuid } from 'uuid';
import { checkCollectionName, MongoAccessService } from '../../../data/storage/access/mongo-access.service.js';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';
import type { GroupDto } from '../../../data/storage/documents/groups.dto.js';
import { parseFilter } from '../../../data/storage/documents/mongo-parameters.js';
import { ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { checkExists } from '../../../data/storage/mongodb/existing-collection.js';
import { ApiError } from '../../../platform/common/errors.js';
import { checkTimeZone } from '../../../platform/http/time-zone.js';
import { VerdictsRepository } from '../../../runs/executions/verdicts/verdicts.repository.js';
import type { StoredDocument } from '../formats/documents.js';
import type { ExportSource, ReadOptions, SourceParams } from './source.js';

const MAX_SECONDS = 2 ** 32 - 1;
/** Keeps each type of an id. */
const EXACT = { promoteValues: false, bsonRegExp: true } as const;

/** A collection of MongoDB, with a filter. */
@Injectable()
export class CollectionSource implements ExportSource {
  constructor(
    private readonly documents: DocumentBatchesService,
    private readonly databases: MongoDatabasesService,
    private readonly access: MongoAccessService,
    private readonly verdicts: VerdictsRepository,
  ) {}

  async check(ownerId: string, params: SourceParams): Promise<string> {
    const { dbId, name } = placeOf(params);
    checkCollectionName(name, 'collection');
    parseFilter(params.filter);
    if (params.group) checkGrouped(params, params.group);
    await this.databases.byId(ownerId, dbId, 'read');
    return name;
  }

  /** The collection may be created after its exporter, so only this method fails if it does not exist. */
  async *read(
    ownerId: string,
    params: SourceParams,
    { fields, added, only, signal }: ReadOptions,
  ): AsyncGenerator<StoredDocument[]> {
    const { dbId, name } = placeOf(params);
    if (only) {
      for await (const ids of only()) {
        const filter = { _id: { $in: ids.map(id => deserialize(id, EXACT)._id) } };
        yield* this.documents.read(ownerId, dbId, name, { filter, fields }, signal);
      }
      return;
    }
    const given = await this.#filterOf(params);
    const isLimited = added.from !== null || added.to !== null;
    const filter = isLimited ? { $and: [given, { _id: idsBetween(added) }] } : given;
    const batches = params.group
      ? this.documents.readGroups(ownerId, dbId, name, { group: params.group, filter }, signal)
      : this.documents.read(ownerId, dbId, name, { filter, fields }, signal);
    yield* this.#ofExisting(ownerId, dbId, name, batches);
  }

  /**
   * Reads the ids of all documents that match the filter, as BSON that has the field `_id`.
   * @param withoutRuns runs whose rows to leave out.
   */
  async *readIds(
    ownerId: string,
    params: SourceParams,
    withoutRuns: string[],
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array[]> {
    const { dbId, name } = placeOf(params);
    const given = await this.#filterOf(params);
    const filter = withoutRuns.length === 0 ? given : { $and: [given, { _run: { $nin: withoutRuns } }] };
    const batches = this.documents.read(ownerId, dbId, name, { filter, fields: ['_id'], byId: true }, signal);
    yield* this.#ofExisting(ownerId, dbId, name, batches);
  }

  /** Returns the filter of the export. In the rows of a skript, it leaves out those that are held. */
  async #filterOf(params: SourceParams): Promise<Record<string, unknown>> {
    const given = parseFilter(params.filter);
    const { name } = placeOf(params);
    const skriptId = name.startsWith(ROWS_PREFIX) ? name.slice(ROWS_PREFIX.length) : '';
    const exported = isUuid(skriptId) ? await this.verdicts.exportedRows(skriptId) : null;
    return exported === null ? given : { $and: [given, exported] };
  }

  /** Passes batches on. @throws {ApiError} 404 if there are none because the collection does not exist. */
  async *#ofExisting(
    ownerId: string,
    dbId: string,
    name: string,
    batches: AsyncIterable<Uint8Array[]>,
  ): AsyncGenerator<Uint8Array[]> {
    let isEmpty = true;
    for await (const batch of batches) {
      isEmpty = false;
      yield batch;
    }
    if (isEmpty) await this.access.readCollection(ownerId, dbId, name, (_collection, db) => checkExists(db, name));
  }
}

function placeOf({ db_id, collection }: SourceParams): { dbId: string; name: string } {
  const missing = db_id === undefined ? 'db_id' : collection === undefined ? 'collection' : null;
  if (db_id !== undefined && collection !== undefined) return { dbId: db_id, name: collection };
  const message = 'is missing';
  throw new ApiError('validation_failed', `${missing} ${message}: the source collection needs it.`, [
    { field: missing, message },
  ]);
}

function checkGrouped(params: SourceParams, { time_zone }: GroupDto): void {
  checkTimeZone(time_zone, 'group.time_zone');
  if (!('only_new' in params && params.only_new)) return;
  const message = 'does not work with group: a group changes with each new document';
  throw new ApiError('validation_failed', `only_new ${message}.`, [{ field: 'only_new', message }]);
}

/** An ObjectId begins with the time at which it was made, in seconds since 1970 as a number of 32 bits. */
const idsBetween = ({ from, to }: ReadOptions['added']): Record<string, ObjectId> => ({
  $gte: firstIdAt(from ?? new Date(0)),
  ...(to ? { $lt: firstIdAt(to) } : {}),
});

const firstIdAt = (moment: Date): ObjectId =>
  ObjectId.createFromTime(Math.min(Math.max(Math.floor(moment.getTime() / 1_000), 0), MAX_SECONDS));
