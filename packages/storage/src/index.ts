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
export { Cursor, type Document, FindCursor, type Sort } from './cursor.js';
export { type Database, mongo } from './mongo.js';
export { StorageError } from './storage-error.js';
