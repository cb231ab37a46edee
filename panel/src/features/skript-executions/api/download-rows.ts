import { useMutation } from '@tanstack/react-query';
import { download } from '../../../api/client.js';
import { notifyError } from '../../../components/feedback/notify.js';

/** Rows that can be downloaded as CSV. */
export type RowsSource =
  | { of: 'run'; executionId: string }
  | { of: 'collection'; databaseId: string; collection: string; filter: string; filename: string }
  | { of: 'table'; schema: string; table: string; filename: string };

function save(source: RowsSource): Promise<void> {
  if (source.of === 'run')
    return download(`/joint-api/skript-execution/${source.executionId}/rows/export`, `rows-${source.executionId}.csv`);
  if (source.of === 'table') {
    const query = new URLSearchParams({ schema: source.schema });
    return download(`/joint-api/postgres-tables/${encodeURIComponent(source.table)}/export?${query}`, source.filename);
  }
  const { databaseId, collection, filter, filename } = source;
  const query = new URLSearchParams(filter && { filter });
  return download(`/joint-api/mongo/${databaseId}/${encodeURIComponent(collection)}/export?${query}`, filename);
}

export const useDownloadRows = () =>
  useMutation({ mutationFn: save, onError: error => notifyError('The rows could not be downloaded', error) });
