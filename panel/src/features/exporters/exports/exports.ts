import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, download, unwrap } from '../../../api/client.js';
import type { Export, ExportBody } from '../../../api/entities.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { EXPORTS_KEY, IDLE_MS, PROGRESS_MS } from '../keys.js';
import { isOpen } from '../terms.js';

interface ExportsQuery {
  limit: number;
  skip: number;
  sort: string;
  state?: Export['state'];
  exporter_id?: string;
}

const exportsQuery = (query: ExportsQuery) =>
  queryOptions({
    queryKey: [...EXPORTS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/exports/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? PROGRESS_MS : IDLE_MS),
  });

export const useExports = (query: ExportsQuery) => useQuery(exportsQuery(query));

export const useCreateExport = () =>
  useChange({
    send: (body: ExportBody) => unwrap(api.POST('/joint-api/exports/addnew', { body })),
    reload: [EXPORTS_KEY],
    done: ({ file_name: name }) => `The export ${name} is queued.`,
  });

const pathOf = (id: string) => ({ params: { path: { export_id: id } } });

export const useCancelExport = () =>
  useChange({
    send: (id: string) => unwrap(api.POST('/joint-api/exports/{export_id}/cancel', pathOf(id))),
    reload: [EXPORTS_KEY],
    done: ({ state }) => (state === 'cancelled' ? 'The export is cancelled.' : null),
    failed: 'The export could not be cancelled',
  });

export const useDeleteExport = () =>
  useChange({
    send: (id: string) => unwrap(api.DELETE('/joint-api/exports/{export_id}', pathOf(id))),
    reload: [EXPORTS_KEY],
    done: () => 'The export and its file are deleted.',
    failed: 'The export could not be deleted',
  });

/** Downloads the file of an export. */
export const downloadExport = ({ id, file_name: name }: Export): void => {
  download(`/joint-api/exports/${id}/file`, name).catch(error =>
    notifyError('The file could not be downloaded', error),
  );
};
