import { Injectable } from '@nestjs/common';
import { calculateObjectSize, ObjectId } from 'bson';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { CollectionRoomService } from './collection-room.service.js';
import { fieldsFromJson, invalid, queryFromJson, toRelaxed } from './extended-json.js';
import { growthByUpdate } from './growth.js';
import { MAX_TIME_MS, MongoAccessService, type Repetition, WRITE } from './mongo-access.service.js';
import {
  type DeleteMongoDocumentsDto,
  type InsertedDocumentsDto,
  MAX_NEW_DOCUMENTS,
  type NewMongoDocumentsDto,
  type UpdatedDocumentsDto,
  type UpdateMongoDocumentsDto,
} from './mongo-documents.dto.js';
import type { MongoDocument } from './mongo-documents.service.js';
import { checkedFilter } from './mongo-queries.js';

type Fields = Record<string, unknown>;
type NewDocument = mongo.OptionalUnlessRequiredId<mongo.BSON.Document>;

/** What adds documents, and changes or deletes many of them with one call. */
@Injectable()
export class MongoBulkService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly room: CollectionRoomService,
  ) {}

  /** The document as it was stored. @throws {ApiError} 409 `storage_duplicate_key`. */
  async insert(ownerId: string, dbId: string, name: string, body: Fields): Promise<MongoDocument> {
    const [document, repetition] = identified([fieldsFromJson(body)]);
    return this.access.onCollection(
      ownerId,
      dbId,
      name,
      async (collection, db) => {
        await this.access.grow(ownerId, bytesOf(document));
        await this.room.ensure(db, name);
        await collection.insertOne(document[0] as NewDocument, WRITE);
        return toRelaxed(document[0] as Fields);
      },
      repetition,
    );
  }

  /** @throws {ApiError} 409 `storage_duplicate_key`; those before it are stored, with `ordered: false` all others. */
  async insertMany(
    ownerId: string,
    dbId: string,
    name: string,
    { documents, ordered }: NewMongoDocumentsDto,
  ): Promise<InsertedDocumentsDto> {
    const [docs, repetition] = identified(documentsOf(documents));
    return this.access.onCollection(
      ownerId,
      dbId,
      name,
      async (collection, db) => {
        await this.access.grow(ownerId, bytesOf(docs));
        await this.room.ensure(db, name);
        await collection.insertMany(docs as NewDocument[], { ...WRITE, ordered });
        return { inserted: docs.length, ids: docs.map(({ _id }) => toRelaxed({ _id })._id) };
      },
      repetition,
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
        await this.access.growBy(ownerId, room =>
          growthByUpdate({ collection, filter, update, isMany: true, room, maxTimeMS: MAX_TIME_MS }),
        );
        const { matchedCount, modifiedCount } = await collection.updateMany(filter, update, WRITE);
        return { matched: matchedCount, modified: modifiedCount };
      },
      'twice_is_different',
    );
  }

  async delete(ownerId: string, dbId: string, name: string, body: DeleteMongoDocumentsDto): Promise<DeletedDto> {
    const filter = checkedFilter(body.filter);
    if (Object.keys(filter).length === 0) {
      throw invalid('filter', 'is empty, which would delete every document; drop the collection if that is meant');
    }
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const { deletedCount } = await collection.deleteMany(filter, WRITE);
      this.access.shrunk(ownerId);
      return { deleted: { documents: deletedCount } };
    });
  }
}

const bytesOf = (documents: Fields[]): number =>
  documents.reduce((bytes, document) => bytes + calculateObjectSize(document), 0);

/** The documents with an `_id` each. Only `_id`s that the caller made are refused when the same call comes once more. */
function identified(documents: Fields[]): [documents: Fields[], repetition: Repetition] {
  const isHarmless = documents.every(document => Object.hasOwn(document, '_id'));
  const withIds = documents.map(document =>
    Object.hasOwn(document, '_id') ? document : { _id: new ObjectId(), ...document },
  );
  return [withIds, isHarmless ? 'harmless' : 'twice_is_different'];
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

/** An update, not a whole document: that would replace what it meets. */
function updateOf(update: unknown): Fields {
  if (update === null || typeof update !== 'object' || Array.isArray(update)) {
    throw invalid('update', 'must be an object of update operators, such as { "$set": { … } }');
  }
  const names = Object.keys(update);
  if (names.length === 0 || names.some(name => !name.startsWith('$'))) {
    throw invalid('update', 'must consist of update operators, such as { "$set": { … } }');
  }
  return queryFromJson(update as Fields, 'update');
}
