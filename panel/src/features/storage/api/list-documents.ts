import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Listed, MongoDocument } from '../../../api/entities.js';
import { documentsKey } from '../../../api/storage-keys.js';
import { fieldShares, SAMPLE, sharesPipeline } from '../field-shares.js';

interface DocumentsQuery {
  limit?: number;
  skip?: number;
  sort?: string;
  /** MongoDB filter as Extended JSON text. */
  filter?: string;
}

const documentsQuery = (databaseId: string, collection: string, query: DocumentsQuery) =>
  queryOptions({
    queryKey: documentsKey(databaseId, collection, 'list', query),
    queryFn: async ({ signal }): Promise<Listed<MongoDocument>> =>
      unwrap(
        api.GET('/joint-api/mongo/{db_id}/{collection}/list', {
          params: { path: { db_id: databaseId, collection }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** @param refreshMs interval after which the list is read again; undefined if nothing but a change does */
export const useDocuments = (databaseId: string, collection: string, query: DocumentsQuery, refreshMs?: number) =>
  useQuery({ ...documentsQuery(databaseId, collection, query), refetchInterval: refreshMs ?? false });

/** The document with this `_id`, given as Extended JSON. Does nothing while it is null. */
const documentQuery = (databaseId: string, collection: string, id: unknown) =>
  queryOptions({
    queryKey: documentsKey(databaseId, collection, 'one', id),
    queryFn:
      id === null
        ? skipToken
        : async ({ signal }): Promise<MongoDocument | null> => {
            const filter = JSON.stringify({ _id: id });
            const list = await unwrap(
              api.GET('/joint-api/mongo/{db_id}/{collection}/list', {
                params: { path: { db_id: databaseId, collection }, query: { filter, limit: 1 } },
                signal,
              }),
            );
            return list.items[0] ?? null;
          },
    // An edit has to begin with the document as it is now.
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });

export const useDocument = (databaseId: string, collection: string, id: unknown) =>
  useQuery(documentQuery(databaseId, collection, id));

/** How often the newest documents that match the filter have each field. */
const sharesQuery = (databaseId: string, collection: string, filter: string | undefined) =>
  queryOptions({
    queryKey: documentsKey(databaseId, collection, 'shares', filter),
    queryFn: async ({ signal }) => {
      const { items } = await unwrap(
        api.POST('/joint-api/mongo/{db_id}/{collection}/aggregate', {
          params: { path: { db_id: databaseId, collection } },
          body: { pipeline: sharesPipeline(filter), limit: SAMPLE },
          signal,
        }),
      );
      return fieldShares(items);
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

export const useFieldShares = (databaseId: string, collection: string, filter: string | undefined) =>
  useQuery(sharesQuery(databaseId, collection, filter));
