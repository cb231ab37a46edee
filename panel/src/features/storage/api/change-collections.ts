import { countText } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import { affectedByDocuments } from '../../../api/storage-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useCreateCollection = (databaseId: string) =>
  useChange({
    send: (name: string) =>
      unwrap(
        api.POST('/joint-api/mongo-collections/{db_id}/addnew', {
          params: { path: { db_id: databaseId } },
          body: { name },
        }),
      ),
    reload: affectedByDocuments(databaseId),
    done: ({ name }) => `The collection ${name} is there.`,
  });

const pathOf = (databaseId: string, collection: string) => ({ params: { path: { db_id: databaseId, collection } } });

export const useCopyCollection = (databaseId: string, collection: string) =>
  useChange({
    send: (body: { to: string; overwrite: boolean }) =>
      unwrap(
        api.POST('/joint-api/mongo-collections/{db_id}/{collection}/copy', { ...pathOf(databaseId, collection), body }),
      ),
    reload: affectedByDocuments(databaseId),
    done: ({ name, count }) => `${name} has ${countText(count, 'document')} now.`,
  });

export const useRenameCollection = (databaseId: string, collection: string) =>
  useChange({
    send: (to: string) =>
      unwrap(
        api.POST('/joint-api/mongo-collections/{db_id}/{collection}/rename', {
          ...pathOf(databaseId, collection),
          body: { to },
        }),
      ),
    reload: affectedByDocuments(databaseId),
    done: ({ name }) => `The collection is called ${name} now.`,
  });

export const useDropCollection = (databaseId: string) =>
  useChange({
    send: (collection: string) =>
      unwrap(api.DELETE('/joint-api/mongo-collections/{db_id}/{collection}', pathOf(databaseId, collection))),
    reload: affectedByDocuments(databaseId),
    done: (_, collection) => `The collection ${collection} is deleted.`,
    failed: 'The collection could not be deleted',
  });
