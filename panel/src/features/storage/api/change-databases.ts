import { api, unwrap } from '../../../api/client.js';
import type { MongoDatabase } from '../../../api/entities.js';
import { AFFECTED_BY_DATABASES } from '../../../api/storage-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const useCreateDatabase = () =>
  useChange({
    send: (name: string) => unwrap(api.POST('/joint-api/mongo-databases/addnew', { body: { name } })),
    reload: AFFECTED_BY_DATABASES,
    done: ({ name }) => `The database ${name} is there. Skripts can store data in it.`,
  });

export const useRenameDatabase = (databaseId: string) =>
  useChange({
    send: (name: string) =>
      unwrap(
        api.PUT('/joint-api/mongo-databases/{db_id}', { params: { path: { db_id: databaseId } }, body: { name } }),
      ),
    reload: AFFECTED_BY_DATABASES,
    done: ({ name }) => `The database is called ${name} now.`,
  });

export const useDeleteDatabase = () =>
  useChange({
    send: ({ id }: MongoDatabase) =>
      unwrap(api.DELETE('/joint-api/mongo-databases/{db_id}', { params: { path: { db_id: id } } })),
    reload: AFFECTED_BY_DATABASES,
    done: (_, { name }) => `The database ${name} is deleted.`,
    failed: 'The database could not be deleted',
  });

/** Shares the database with all accounts, or stops that. */
export const useShareDatabase = () =>
  useChange({
    send: ({ id, shared }: MongoDatabase) =>
      unwrap(
        api.PUT('/joint-api/mongo-databases/{db_id}', { params: { path: { db_id: id } }, body: { shared: !shared } }),
      ),
    reload: AFFECTED_BY_DATABASES,
    done: ({ name, shared }) => (shared ? `All users can read ${name} now.` : `Only you can read ${name} now.`),
    failed: 'The database could not be changed',
  });
