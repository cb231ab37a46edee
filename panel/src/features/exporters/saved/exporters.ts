import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Exporter, ExporterBody, ExporterChange } from '../../../api/entities.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { EXPORTERS_KEY, EXPORTS_KEY, IDLE_MS } from '../keys.js';

interface ExportersQuery {
  limit: number;
  skip?: number;
  sort?: string;
}

const exportersQuery = (query: ExportersQuery) =>
  queryOptions({
    queryKey: [...EXPORTERS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/exporters/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: IDLE_MS,
  });

export const useExporters = (query: ExportersQuery) => useQuery(exportersQuery(query));

export const useCreateExporter = () =>
  useChange({
    send: (body: ExporterBody) => unwrap(api.POST('/joint-api/exporters/addnew', { body })),
    reload: [EXPORTERS_KEY],
    done: ({ name }) => `The exporter ${name} is saved.`,
  });

const pathOf = ({ id }: Exporter) => ({ params: { path: { exporter_id: id } } });

const exporterQuery = (id: string) =>
  queryOptions({
    queryKey: [...EXPORTERS_KEY, id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/exporters/{exporter_id}', { params: { path: { exporter_id: id } }, signal })),
  });

export const useExporter = (id: string) => useQuery(exporterQuery(id));

export const useChangeExporter = () =>
  useChange({
    send: ({ exporter, body }: { exporter: Exporter; body: ExporterChange }) =>
      unwrap(api.PUT('/joint-api/exporters/{exporter_id}', { ...pathOf(exporter), body })),
    reload: [EXPORTERS_KEY],
    done: ({ name }) => `The exporter ${name} is saved.`,
  });

export const useEnableExporter = () =>
  useChange({
    send: (exporter: Exporter) =>
      unwrap(
        api.PUT('/joint-api/exporters/{exporter_id}', { ...pathOf(exporter), body: { enabled: !exporter.enabled } }),
      ),
    reload: [EXPORTERS_KEY],
    done: ({ name, enabled }) =>
      enabled ? `${name} exports automatically again.` : `${name} exports only by hand now.`,
    failed: 'The exporter could not be changed',
  });

export const useRunExporter = () =>
  useChange({
    send: (exporter: Exporter) => unwrap(api.POST('/joint-api/exporters/{exporter_id}/run', pathOf(exporter))),
    reload: [EXPORTS_KEY, EXPORTERS_KEY],
    done: ({ file_name: name }) => `The export ${name} is queued.`,
    failed: 'The export could not be started',
  });

export const useDeleteExporter = () =>
  useChange({
    send: (exporter: Exporter) => unwrap(api.DELETE('/joint-api/exporters/{exporter_id}', pathOf(exporter))),
    reload: [EXPORTERS_KEY],
    done: (_, { name }) => `The exporter ${name} is deleted. Its files stay until they expire.`,
    failed: 'The exporter could not be deleted',
  });
