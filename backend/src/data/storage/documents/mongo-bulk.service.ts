import { Injectable } from '@nestjs/common';
import { calculateObjectSize, ObjectId } from 'bson';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError } from '../../../platform/common/errors.js';
import { MongoAccessService } from '../access/mongo-access.service.js';
import { MAX_TIME_MS, WRITE } from '../mongodb/call-options.js';
import { CollectionLimitService } from '../mongodb/collection-limit.service.js';
import { estimateUpdateGrowth } from '../usage/estimate-growth.js';
import { fieldsFromJson, invalid, queryFromJson, toRelaxed } from '../values/extended-json.js';
import {
  type DeleteMongoDocumentsDto,
  type InsertedDocumentsDto,
  MAX_NEW_DOCUMENTS,
  type NewMongoDocumentsDto,
  type UpdatedDocumentsDto,
  type UpdateMongoDocumentsDto,
} from './mongo-documents.dto.js';
import type { MongoDocument } from './mongo-documents.service.js';
import { checkedFilter } from './mongo-parameters.js';

type Fields = Record<string, unknown>;
type NewDocument = mongo.OptionalUnlessRequiredId<mongo.BSON.Document>;

interface Inserts {
  documents: Fields[];
  isRetrySafe: boolean;
}

/** Inserts one or more documents, and updates or deletes many documents with one call. */
@Injectable()
export class MongoBulkService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly collectionLimit: CollectionLimitService,
  ) {}

  /**
   * Inserts a document and returns it as it was stored.
   * @throws {ApiError} 409 `storage_duplicate_key`.
   */
  async insert(ownerId: string, dbId: string, name: string, body: Fields): Promise<MongoDocument> {
    const inserts = withIds([fieldsFromJson(body)]);
    const document = inserts.documents[0] as Fields;
    await this.#insert(ownerId, dbId, name, inserts, collection =>
      collection.insertOne(document as NewDocument, WRITE),
    );
    return toRelaxed(document);
  }

  /**
   * @throws {ApiError} 409 `storage_duplicate_key`. Then the documents before the duplicate are stored; with `ordered:
   * false`, all documents except duplicates are.
   */
  async insertMany(
    ownerId: string,
    dbId: string,
    name: string,
    body: NewMongoDocumentsDto,
  ): Promise<InsertedDocumentsDto> {
    const inserts = withIds(documentsOf(body.documents));
    const { documents } = inserts;
    await this.#insert(ownerId, dbId, name, inserts, collection =>
      collection.insertMany(documents as NewDocument[], { ...WRITE, ordered: body.ordered }),
    );
    return { inserted: documents.length, ids: documents.map(({ _id }) => toRelaxed({ _id })._id) };
  }

  /** Reserves storage, creates the collection if it is missing, and then inserts. */
  #insert(
    ownerId: string,
    dbId: string,
    name: string,
    { documents, isRetrySafe }: Inserts,
    insert: (collection: mongo.Collection) => Promise<unknown>,
  ): Promise<unknown> {
    return this.access.onCollection(
      ownerId,
      dbId,
      name,
      async (collection, db) => {
        await this.access.reserve(ownerId, bytesOf(documents));
        await this.collectionLimit.ensure(db, name);
        await insert(collection);
      },
      isRetrySafe,
    );
  }

  async update(
    ownerId: string,
    dbId: string,
    name: string,
    body: UpdateMongoDocumentsDto,
  ): Promise<UpdatedDocumentsDto> {
    const filter = checkedFilter(body.filter);
    const update = updateOf(body.update);
    return this.access.onCollection(
      ownerId,
      dbId,
      name,
      async collection => {
        await this.access.reserveEstimate(ownerId, room =>
          estimateUpdateGrowth({ collection, filter, update, isMany: true, room, maxTimeMS: MAX_TIME_MS }),
        );
        const { matchedCount, modifiedCount } = await collection.updateMany(filter, update, WRITE);
        return { matched: matchedCount, modified: modifiedCount };
      },
      false,
    );
  }

  async delete(ownerId: string, dbId: string, name: string, body: DeleteMongoDocumentsDto): Promise<DeletedDto> {
    const filter = checkedFilter(body.filter);
    if (Object.keys(filter).length === 0) {
      throw invalid(
        'filter',
        'must not be empty, because it would delete every document; to do that, drop the collection',
      );
    }
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const { deletedCount } = await collection.deleteMany(filter, WRITE);
      this.access.markChanged(ownerId);
      return { deleted: { documents: deletedCount } };
    });
  }
}

const bytesOf = (documents: Fields[]): number =>
  documents.reduce((bytes, document) => bytes + calculateObjectSize(document), 0);

/**
 * Adds an `_id` to documents without one. Repeating the insert is safe only if the caller chose every `_id`, because
 * MongoDB then refuses documents that are already stored.
 */
function withIds(sent: Fields[]): Inserts {
  const isRetrySafe = sent.every(document => Object.hasOwn(document, '_id'));
  const documents = sent.map(document =>
    Object.hasOwn(document, '_id') ? document : { _id: new ObjectId(), ...document },
  );
  return { documents, isRetrySafe };
}

function documentsOf(documents: unknown): Fields[] {
  if (!Array.isArray(documents) || documents.length < 1 || documents.length > MAX_NEW_DOCUMENTS) {
    throw invalid('documents', `must be a list of 1 to ${MAX_NEW_DOCUMENTS} documents`);
  }
  return documents.map((document, index) => {
    try {
      return fieldsFromJson(document);
    } catch (error) {
      throw error instanceof ApiError ? invalid(`documents.${index}`, error.message.replace(/\.$/, '')) : error;
    }
  });
}

/** Checks that `update` consists only of operators. MongoDB would take a plain document as a replacement. */
function updateOf(update: unknown): Fields {
  if (update === null || typeof update !== 'object' || Array.isArray(update)) {
    throw invalid('update', 'must be an object of update operators, such as { "$set": { … } }');
  }
  const names = Object.keys(update);
  if (names.length === 0 || names.some(name => !name.startsWith('$'))) {
    throw invalid('update', 'must contain only update operators, such as { "$set": { … } }');
  }
  return queryFromJson(update as Fields, 'update');
}
