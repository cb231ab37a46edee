import { Injectable } from '@nestjs/common';
import { deserialize } from 'bson';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import { DocumentBatchesService } from '../../../data/storage/documents/document-batches.service.js';
import { parseFilter } from '../../../data/storage/documents/mongo-parameters.js';
import { CHANGES_PREFIX, ITEMS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { ApiError } from '../../../platform/common/errors.js';
import { changesOf } from '../../../runs/executions/items/item-documents.js';
import { ItemsService } from '../../../runs/executions/items/items.service.js';
import { ExecutionsService } from '../../../runs/executions/records/executions.service.js';
import { checkFieldsOfRun, executionIdOf } from './run-source.service.js';
import type { ExportSource, ReadOptions, SourceParams } from './source.js';

/** The items that a run has added or changed, or found again. */
@Injectable()
export class ChangesSource implements ExportSource {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly databases: MongoDatabasesService,
    private readonly documents: DocumentBatchesService,
    private readonly items: ItemsService,
  ) {}

  async check(ownerId: string, params: SourceParams): Promise<string> {
    const executionId = executionIdOf(params);
    checkFieldsOfRun(params);
    await this.executions.get(ownerId, executionId);
    await this.databases.resolve(ownerId);
    await this.#checkMerged(executionId);
    return `changes-${executionId}`;
  }

  async *read(ownerId: string, params: SourceParams, { fields, signal }: ReadOptions): AsyncGenerator<Uint8Array[]> {
    const executionId = executionIdOf(params);
    const { skript } = await this.executions.get(ownerId, executionId);
    await this.#checkMerged(executionId);
    const { id: dbId } = await this.databases.resolve(ownerId);
    const filter = { ...changesOf(executionId), kind: { $in: ['added', 'changed', 'back'] } };
    const changes = { filter, fields: ['_item'], byId: true };
    for await (const batch of this.documents.read(ownerId, dbId, CHANGES_PREFIX + skript.id, changes, signal)) {
      const ids = batch.map(change => deserialize(change)._item);
      const items = {
        filter: { $and: [{ _id: { $in: ids } }, parseFilter(params.filter)] },
        fields,
        omit: ['_hash', '_input'],
      };
      yield* this.documents.read(ownerId, dbId, ITEMS_PREFIX + skript.id, items, signal);
    }
  }

  async #checkMerged(executionId: string): Promise<void> {
    if (await this.items.isMerged(executionId)) return;
    throw new ApiError(
      'storage_rejected',
      `The run ${executionId} has no changes: Trawl has not merged its rows into items. Its list of changes says why in the field state.`,
    );
  }
}
