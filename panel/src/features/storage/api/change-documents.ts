import { api, unwrap } from '../../../api/client.js';
import type { MongoDocument } from '../../../api/entities.js';
import { affectedByDocuments } from '../../../api/storage-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';
import type { DocumentChange } from '../document-change.js';

const pathOf = (databaseId: string, collection: string) => ({ params: { path: { db_id: databaseId, collection } } });

const documentsText = (count: number): string => (count === 1 ? 'One document' : `${count.toLocaleString()} documents`);

export const useAddDocuments = (databaseId: string, collection: string) =>
  useChange({
    send: (documents: MongoDocument[]) =>
      unwrap(
        api.POST('/joint-api/mongo/{db_id}/{collection}/addnew-many', {
          ...pathOf(databaseId, collection),
          body: { documents, ordered: true },
        }),
      ),
    reload: affectedByDocuments(databaseId),
    done: ({ inserted }) => `${documentsText(inserted)} added.`,
  });

/** Changes one document. Only the fields of the change are written, so other fields keep what a run writes meanwhile. */
export const useUpdateDocument = (databaseId: string, collection: string) =>
  useChange({
    send: async ({ id, update }: { id: unknown; update: DocumentChange }) => {
      const { matched } = await unwrap(
        api.POST('/joint-api/mongo/{db_id}/{collection}/update-many', {
          ...pathOf(databaseId, collection),
          body: { filter: { _id: id }, update },
        }),
      );
      if (matched === 0) throw new Error('The document was deleted in the meantime. Copy your text to add it again.');
    },
    reload: affectedByDocuments(databaseId),
    done: () => 'The document is saved.',
  });

export const useDeleteDocuments = (databaseId: string, collection: string) =>
  useChange({
    send: (filter: Record<string, unknown>) =>
      unwrap(
        api.POST('/joint-api/mongo/{db_id}/{collection}/delete-many', {
          ...pathOf(databaseId, collection),
          body: { filter },
        }),
      ),
    reload: affectedByDocuments(databaseId),
    done: ({ deleted }) => `${documentsText(deleted.documents ?? 0)} deleted.`,
    failed: 'The documents could not be deleted',
  });
