import { Injectable } from '@nestjs/common';
import { MongoAccessService } from '../../../data/storage/access/mongo-access.service.js';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { MongoDocumentsService } from '../../../data/storage/documents/mongo-documents.service.js';
import { READ } from '../../../data/storage/mongodb/call-options.js';
import { CHANGES_PREFIX, ITEMS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { notFound } from '../../../platform/common/errors.js';
import { headOf, listText } from '../../../platform/http/lists/list-query.js';
import { ExecutionsService } from '../records/executions.service.js';
import { changesOf, type Fields, itemIdOf, toChangeDto, toItemDto } from './item-documents.js';
import type { ItemHistoryQuery, ItemsMedianDto, ItemsQuery, RunChangesQuery } from './items.dto.js';
import { MergesRepository } from './merges.repository.js';

/** A page of a collection. */
interface PageOf {
  collection: string;
  filter: Fields;
  sort: string;
  query: { limit: number; skip: number; after?: string };
}

/** Reads the items of skripts, and their changes. Lists are JSON text. */
@Injectable()
export class ItemsService {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly databases: MongoDatabasesService,
    private readonly access: MongoAccessService,
    private readonly documents: MongoDocumentsService,
    private readonly merges: MergesRepository,
  ) {}

  /** @throws {ApiError} 404 for a run of another user. */
  async changesOfRun(
    ownerId: string,
    executionId: string,
    { kind, field, ...query }: RunChangesQuery,
  ): Promise<string> {
    const { skript } = await this.executions.get(ownerId, executionId);
    const head = await this.merges.stateOf(executionId);
    const filter = { ...changesOf(executionId), ...(kind && { kind }), ...ofField(field) };
    const page = { collection: CHANGES_PREFIX + skript.id, filter, sort: '_id', query };
    return this.#list(ownerId, page, toChangeDto, head);
  }

  /** Returns whether the rows of a run have become items. */
  async isMerged(executionId: string): Promise<boolean> {
    return (await this.merges.stateOf(executionId)).state === 'merged';
  }

  /** @throws {ApiError} 404 for a skript of another user. */
  async items(ownerId: string, skriptId: string, { gone, changed_since, key, ...query }: ItemsQuery): Promise<string> {
    await this.#checkOwner(ownerId, skriptId);
    const filter = {
      ...(gone !== undefined && { _gone_at: gone ? { $ne: null } : null }),
      ...(changed_since !== undefined && { _changed_at: { $gte: { $date: new Date(changed_since).toISOString() } } }),
      ...(key !== undefined && { _key: { $regularExpression: { pattern: escaped(key), options: 'i' } } }),
    };
    return this.#list(ownerId, { collection: ITEMS_PREFIX + skriptId, filter, sort: '-_changed_at', query }, toItemDto);
  }

  /** @throws {ApiError} 404 for a skript of another user, and for an item that it does not have. */
  async history(
    ownerId: string,
    skriptId: string,
    idOrKey: string,
    { field, ...query }: ItemHistoryQuery,
  ): Promise<string> {
    await this.#checkOwner(ownerId, skriptId);
    const item = itemIdOf(idOrKey);
    const { id: dbId } = await this.databases.resolve(ownerId);
    const found = await this.access.readCollection(ownerId, dbId, ITEMS_PREFIX + skriptId, items =>
      items.countDocuments({ _id: item as never }, { ...READ, limit: 1 }),
    );
    if (found === 0) throw notFound('item', idOrKey);
    const filter = { _item: item, ...ofField(field) };
    return this.#list(ownerId, { collection: CHANGES_PREFIX + skriptId, filter, sort: '-_id', query }, toChangeDto);
  }

  /** @throws {ApiError} 404 for a skript of another user. */
  async median(ownerId: string, skriptId: string, field: string): Promise<ItemsMedianDto> {
    await this.#checkOwner(ownerId, skriptId);
    const [fields, points] = await Promise.all([
      this.merges.numberFieldsOf(skriptId),
      this.merges.figuresOf(skriptId, field),
    ]);
    return { field, fields, points };
  }

  /** @param head more fields of the answer */
  async #list(
    ownerId: string,
    { collection, filter, sort, query }: PageOf,
    toDto: (document: Fields) => object,
    head: object = {},
  ): Promise<string> {
    const { id: dbId } = await this.databases.resolve(ownerId);
    const page = { ...query, filter: JSON.stringify(filter), sort };
    // A skript without items has no collection, and its list is empty.
    const { items, counted, next } = await this.documents.page(ownerId, dbId, collection, page, false, document => {
      const item = JSON.stringify(toDto(document));
      return { item, chars: item.length };
    });
    return listText({ ...headOf(query, counted, next), ...head }, items.join(','));
  }

  async #checkOwner(ownerId: string, skriptId: string): Promise<void> {
    if (!(await this.merges.ownsSkript(ownerId, skriptId))) throw notFound('skript', skriptId);
  }
}

const ofField = (field: string | undefined): Fields => (field === undefined ? {} : { 'fields.field': { $eq: field } });

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
