import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { MongoDatabasesService } from '../../../data/storage/databases/mongo-databases.service.js';
import type { MongoPageQuery } from '../../../data/storage/documents/mongo-documents.dto.js';
import { MongoDocumentsService } from '../../../data/storage/documents/mongo-documents.service.js';
import { rowsCollection } from '../../../data/storage/mongodb/collection-names.js';
import { headOf, listText } from '../../../platform/http/lists/list-query.js';
import { ExecutionsService } from '../records/executions.service.js';
import type { RunRowsQuery } from './run-rows.dto.js';

interface RowsPage {
  type: string;
  body: Readable;
  /** Cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** Reads the rows that runs have stored with `dataset.push`. */
@Injectable()
export class RunRowsService {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly databases: MongoDatabasesService,
    private readonly documents: MongoDocumentsService,
  ) {}

  /**
   * @throws {ApiError} 404 for a run of another user, and without a database; 400 for a wrong cursor; 413 for a page that
   * is too large; 503 while MongoDB is down.
   */
  async page(ownerId: string, executionId: string, { format, ...query }: RunRowsQuery): Promise<RowsPage> {
    const collection = rowsCollection(await this.executions.get(ownerId, executionId));
    const { id: dbId } = await this.databases.resolve(ownerId);
    // A run that has stored no rows has no collection, and its list is empty.
    const page: MongoPageQuery = { ...query, filter: JSON.stringify({ _run: executionId }), skip: 0, sort: '_id' };
    if (format === 'csv') {
      const { lines, next } = await this.documents.csv(ownerId, dbId, collection, page, false);
      return { type: 'text/csv', body: Readable.from(lines).pipe(stringify()), next };
    }
    const { items, counted, next } = await this.documents.texts(ownerId, dbId, collection, page, 'relaxed', false);
    if (format === 'ndjson') {
      return { type: 'application/x-ndjson', body: Readable.from(items.map(item => `${item}\n`)), next };
    }
    return {
      type: 'application/json',
      body: Readable.from([listText(headOf(page, counted, next), items.join(','))]),
      next,
    };
  }
}
