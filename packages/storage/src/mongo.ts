import { Collection } from './collection.js';

/** One of the user's MongoDB databases. */
export interface Database {
  collection(name: string): Collection;
}

/**
 * The user's MongoDB. `mongo.collection('books')` is in the first database; `mongo.db('other')` is another database.
 */
export const mongo: Database & { db(name: string): Database } = {
  collection: name => new Collection(undefined, name),
  db: name => ({ collection: collection => new Collection(name, collection) }),
};
