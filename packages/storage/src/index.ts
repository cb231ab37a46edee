export { ObjectId } from 'bson';
export {
  Collection,
  type DeleteResult,
  type Filter,
  type FindOptions,
  type InsertManyResult,
  type InsertOneResult,
  type UpdateResult,
} from './collection.js';
export { Cursor, FindCursor } from './cursor.js';
export { type Dataset, dataset, type PushOptions } from './dataset/dataset.js';
export { type KeyValueStore, kv } from './kv.js';
export { type Database, mongo } from './mongo.js';
export { postgres, type Row, type RowCursor, type Transaction } from './postgres/postgres.js';
export type { QueryResult } from './postgres/results.js';
export type { Document, Sort } from './protocol/document.js';
export { StorageError } from './protocol/storage-error.js';
export { type ProxyOptions, proxy } from './proxy.js';
export {
  type AddedRequest,
  type AddOptions,
  type Queue,
  type QueueRequest,
  queue,
  type RetryOptions,
  type TakenNow,
} from './queue/queue.js';
export type { QueueCounts } from './queue/queue-calls.js';
export type { RequestToAdd } from './queue/queued-requests.js';
export {
  type BrowserPage,
  type CheckOptions,
  type FetchOptions,
  type SessionOptions,
  type SiteSession,
  session,
} from './session/session.js';
