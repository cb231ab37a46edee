import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Import, ImportBody } from '../../../api/entities.js';
import { affectedByDocuments, TABLES_KEY } from '../../../api/storage-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { IDLE_MS, IMPORTS_KEY, PROGRESS_MS } from '../keys.js';
import { isOpen } from '../terms.js';

interface ImportsQuery {
  limit: number;
  skip: number;
  sort: string;
}

const importsQuery = (query: ImportsQuery) =>
  queryOptions({
    queryKey: [...IMPORTS_KEY, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/imports/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? PROGRESS_MS : IDLE_MS),
  });

export const useImports = (query: ImportsQuery) => useQuery(importsQuery(query));

const pathOf = (id: string) => ({ params: { path: { import_id: id } } });

const importQuery = (id: string) =>
  queryOptions({
    queryKey: [...IMPORTS_KEY, 'one', id],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/imports/{import_id}', { ...pathOf(id), signal })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? PROGRESS_MS : false),
  });

/** One import with its progress. */
export const useImport = (id: string) => useQuery(importQuery(id));

/** Name under which the browser stores what the user chose for an import. */
export const formNameOf = ({ id }: Pick<Import, 'id'>): string => `import ${id}`;

/** How to read the file. Trawl guesses the missing parts. */
export type Reading = Pick<
  ImportBody,
  'format' | 'encoding' | 'delimiter' | 'skip_lines' | 'sheet' | 'header' | 'decimal_mark'
>;

/** The table for which columns and types are shown. */
export type PreviewTable = Pick<ImportBody, 'table' | 'schema'>;

const previewQuery = (id: string, reading: Reading, table: PreviewTable) =>
  queryOptions({
    // Not below IMPORTS_KEY: after a start, a reload could find the file already deleted.
    queryKey: ['import-preview', id, reading, table],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/imports/{import_id}/preview', {
          params: { path: { import_id: id }, query: { ...reading, ...table } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
    // The file does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The first documents that the import would make of the file. */
export const useImportPreview = (id: string, reading: Reading, table: PreviewTable = {}) =>
  useQuery(previewQuery(id, reading, table));

export const useStartImport = (id: string) =>
  useChange({
    send: (body: ImportBody) => unwrap(api.POST('/joint-api/imports/{import_id}/start', { ...pathOf(id), body })),
    reload: [IMPORTS_KEY],
  });

/** Cancels an import. `isStopping` is true from the answer until the import has ended. */
export function useCancelImport(item: Import) {
  const cancel = useChange({
    send: () => unwrap(api.POST('/joint-api/imports/{import_id}/cancel', pathOf(item.id))),
    reload: [IMPORTS_KEY],
    done: ({ state }) => (state === 'cancelled' ? 'The import is cancelled. It changed nothing.' : null),
    failed: 'The import could not be cancelled',
  });
  // The user may start the import again. Then it has another time.
  const isStopping = cancel.data?.state === 'running' && cancel.data.started_at === item.started_at;
  return { cancel: () => cancel.mutate(), isPending: cancel.isPending, isStopping };
}

export const useDeleteImport = () =>
  useChange({
    send: ({ id }: Import) => unwrap(api.DELETE('/joint-api/imports/{import_id}', pathOf(id))),
    reload: [IMPORTS_KEY],
    done: (_, { file_name: name }) => `The upload ${name} is deleted. What was imported stays.`,
    failed: 'The upload could not be deleted',
  });

/** Keys of the lists that change when an import is done. */
export const changedBy = ({ db_id: databaseId, table }: Import) => {
  if (table) return [TABLES_KEY];
  return databaseId ? affectedByDocuments(databaseId) : [];
};
