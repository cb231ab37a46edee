import { QUERY_KEYS } from './query-keys.js';

const DATABASES_KEY = ['mongo-databases'];
const COLLECTIONS_KEY = ['mongo-collections'];
const DOCUMENTS_KEY = ['mongo'];
export const TABLES_KEY = ['postgres-tables'];

export const databasesKey = (...rest: unknown[]) => [...DATABASES_KEY, ...rest];
export const collectionsKey = (databaseId: string, ...rest: unknown[]) => [...COLLECTIONS_KEY, databaseId, ...rest];
export const indexesKey = (databaseId: string, collection: string) => ['mongo-indexes', databaseId, collection];
export const documentsKey = (databaseId: string, collection: string, ...rest: unknown[]) => [
  ...DOCUMENTS_KEY,
  databaseId,
  collection,
  ...rest,
];

/** Lists that change with the documents of a database: sizes and quotas too. */
export const affectedByDocuments = (databaseId: string) => [
  [...DOCUMENTS_KEY, databaseId],
  collectionsKey(databaseId),
  DATABASES_KEY,
  QUERY_KEYS.account,
];

/** Lists that change with the databases. */
export const AFFECTED_BY_DATABASES = [DATABASES_KEY, QUERY_KEYS.account];
