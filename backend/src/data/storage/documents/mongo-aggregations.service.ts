import { Injectable } from '@nestjs/common';
import type { mongo } from 'mongoose';
import { TOTAL_CAP } from '../../../platform/http/lists/list-query.js';
import { checkTimeZone } from '../../../platform/http/time-zone.js';
import { MongoAccessService, readFor } from '../access/mongo-access.service.js';
import { checkExists } from '../mongodb/existing-collection.js';
import { invalid, queryFromJson } from '../values/extended-json.js';
import { DocumentCountsService } from './document-counts.service.js';
import { groupStages } from './group-stages.js';
import { type GroupsDto, MAX_GROUPS, type MongoGroupsQuery } from './groups.dto.js';
import type {
  JsonFormat,
  MongoAggregateDto,
  MongoCountDto,
  MongoDistinctDto,
  MongoDistinctQuery,
  MongoFilterQuery,
} from './mongo-documents.dto.js';
import { jsonOf, PAGE_BYTES, tooLarge } from './mongo-documents.service.js';
import { parseFilter } from './mongo-parameters.js';

type Fields = Record<string, unknown>;

const MAX_STAGES = 50;

/** Counts documents, lists distinct values and runs aggregations of one collection. */
@Injectable()
export class MongoAggregationsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly counts: DocumentCountsService,
  ) {}

  async count(ownerId: string, dbId: string, name: string, query: MongoFilterQuery): Promise<MongoCountDto> {
    const filter = parseFilter(query.filter);
    return this.access.readCollection(ownerId, dbId, name, async (collection, db) => {
      const counted = await this.counts.upToCap(collection, filter);
      if (counted === 0) await checkExists(db, name);
      return counted > TOTAL_CAP ? { total: TOTAL_CAP, total_capped: true } : { total: counted };
    });
  }

  async distinct(ownerId: string, dbId: string, name: string, query: MongoDistinctQuery): Promise<MongoDistinctDto> {
    const filter = parseFilter(query.filter);
    const value = `$${query.field}`;
    return this.access.readCollection(ownerId, dbId, name, async (collection, db) => {
      // Use an aggregation: MongoDB's `distinct` command fails if all values together exceed the size limit of one
      // document.
      const { texts, isTruncated } = await read(
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
        query,
      );
      if (texts.length === 0) await checkExists(db, name);
      const values = texts.map(text => JSON.parse(text)._id);
      return { values, ...(isTruncated ? { truncated: true } : {}) };
    });
  }

  /** Runs an aggregation. Returns the response as JSON text, like the list of documents. */
  async aggregate(ownerId: string, dbId: string, name: string, body: MongoAggregateDto): Promise<string> {
    const pipeline = pipelineOf(body.pipeline);
    return this.access.readCollection(ownerId, dbId, name, async (collection, db) => {
      const cursor = collection.aggregate([...pipeline, { $limit: body.limit + 1 }], readFor(pipeline));
      const { texts, isTruncated } = await read(cursor, body);
      if (texts.length === 0) await checkExists(db, name);
      return `{${isTruncated ? '"truncated":true,' : ''}"items":[${texts.join(',')}]}`;
    });
  }

  /** Groups the documents that match the filter. */
  async groups(ownerId: string, dbId: string, name: string, query: MongoGroupsQuery): Promise<GroupsDto> {
    checkTimeZone(query.time_zone);
    const filter = parseFilter(query.filter);
    const limit = MAX_GROUPS.response;
    return this.access.readCollection(ownerId, dbId, name, async (collection, db) => {
      const cursor = collection.aggregate(groupStages(query, filter, limit + 1), readFor(filter));
      const { texts, isTruncated } = await read(cursor, { limit, format: 'relaxed' });
      if (texts.length === 0) await checkExists(db, name);
      const items = texts.map(text => JSON.parse(text));
      return { items, ...(isTruncated ? { truncated: true } : {}) };
    });
  }
}

async function read(
  cursor: mongo.AggregationCursor,
  { limit, format }: { limit: number; format: JsonFormat },
): Promise<{ texts: string[]; isTruncated: boolean }> {
  const texts: string[] = [];
  const toJson = jsonOf(format);
  let size = 0;
  for await (const document of cursor) {
    if (texts.length === limit) return { texts, isTruncated: true };
    const text = JSON.stringify(toJson(document));
    size += text.length;
    if (size > PAGE_BYTES) throw await tooLarge(cursor);
    texts.push(text);
  }
  return { texts, isTruncated: false };
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
