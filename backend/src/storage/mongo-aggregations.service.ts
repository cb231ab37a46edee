import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { TOTAL_CAP } from '../common/list-query.js';
import { DocumentCountsService } from './document-counts.service.js';
import { invalid, queryFromJson, toRelaxed } from './extended-json.js';
import { MongoAccessService, readFor } from './mongo-access.service.js';
import type {
  MongoAggregateDto,
  MongoCountDto,
  MongoDistinctDto,
  MongoDistinctQuery,
  MongoFilterQuery,
} from './mongo-documents.dto.js';
import { PAGE_BYTES, tooLarge } from './mongo-documents.service.js';
import { parseFilter } from './mongo-queries.js';

type Fields = Record<string, unknown>;

const MAX_STAGES = 50;

/** What is asked of a collection as a whole. */
@Injectable()
export class MongoAggregationsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly counts: DocumentCountsService,
  ) {}

  async count(ownerId: string, dbId: string, name: string, query: MongoFilterQuery): Promise<MongoCountDto> {
    const filter = parseFilter(query.filter);
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const counted = await this.counts.upToCap(collection, filter);
      return counted > TOTAL_CAP ? { total: TOTAL_CAP, total_capped: true } : { total: counted };
    });
  }

  async distinct(ownerId: string, dbId: string, name: string, query: MongoDistinctQuery): Promise<MongoDistinctDto> {
    const filter = parseFilter(query.filter);
    const value = `$${query.field}`;
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      // Not the command of this name: its answer is one document, which fails when it becomes too large.
      const { texts, isCut } = await read(
        collection.aggregate(
          [
            { $match: filter },
            { $project: { _id: 0, value } },
            { $unwind: '$value' },
            { $group: { _id: '$value' } },
            { $sort: { _id: 1 } },
            { $limit: query.limit + 1 },
          ],
          readFor(filter),
        ),
        query.limit,
      );
      const values = texts.map(text => JSON.parse(text)._id);
      return { values, ...(isCut ? { truncated: true } : {}) };
    });
  }

  /** The answer as JSON text, as that of a list. */
  async aggregate(ownerId: string, dbId: string, name: string, body: MongoAggregateDto): Promise<string> {
    const pipeline = pipelineOf(body.pipeline);
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const cursor = collection.aggregate([...pipeline, { $limit: body.limit + 1 }], readFor(pipeline));
      const { texts, isCut } = await read(cursor, body.limit);
      return `{${isCut ? '"truncated":true,' : ''}"items":[${texts.join(',')}]}`;
    });
  }
}

async function read(cursor: mongo.AggregationCursor, limit: number): Promise<{ texts: string[]; isCut: boolean }> {
  const texts: string[] = [];
  let size = 0;
  for await (const document of cursor) {
    if (texts.length === limit) return { texts, isCut: true };
    const text = JSON.stringify(toRelaxed(document));
    size += text.length;
    if (size > PAGE_BYTES) throw await tooLarge(cursor);
    texts.push(text);
  }
  return { texts, isCut: false };
}

function pipelineOf(pipeline: unknown): Fields[] {
  if (!Array.isArray(pipeline) || pipeline.length > MAX_STAGES) {
    throw invalid('pipeline', `must be a list of at most ${MAX_STAGES} stages`);
  }
  for (const [index, stage] of pipeline.entries()) {
    if (stage === null || typeof stage !== 'object' || Object.keys(stage).length !== 1) {
      throw invalid(`pipeline.${index}`, 'must be an object with one stage, such as { "$match": { … } }');
    }
  }
  return queryFromJson(pipeline as Fields[], 'pipeline');
}
