import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { collectionsKey } from '../../../api/storage-keys.js';
import { isMissing } from '../../../components/feedback/load-failure.js';
import { useTable } from '../postgres/tables.js';

const collectionQuery = (databaseId: string, collection: string) =>
  queryOptions({
    queryKey: collectionsKey(databaseId, 'one', collection),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/mongo-collections/{db_id}/{collection}', {
          params: { path: { db_id: databaseId, collection } },
          signal,
        }),
      ),
  });

function Count({ rows, error, isEstimate = false }: { rows?: number | null; error: unknown; isEstimate?: boolean }) {
  if (isMissing(error)) return <>deleted</>;
  if (error) return <>not known</>;
  if (rows === undefined) return <>…</>;
  if (rows === null) return <>not counted yet</>;
  return <span className="tabular">{`${isEstimate ? '≈ ' : ''}${rows.toLocaleString('en-GB')}`}</span>;
}

/** Number of documents in a collection. */
export function CollectionCount({ databaseId, collection }: { databaseId: string; collection: string }) {
  const { data, error } = useQuery(collectionQuery(databaseId, collection));
  return <Count rows={data?.count} error={error} />;
}

/** Number of rows of a table, as PostgreSQL last estimated it. */
export function TableCount({ schema, table }: { schema: string; table: string }) {
  const { data, error } = useTable(schema, table);
  return <Count rows={data?.estimated_rows} error={error} isEstimate />;
}
