import type { ReactNode } from 'react';
import { ApiError } from '../../../api/api-error.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { parseJson } from '../../../components/json-tree/json-nodes.js';
import { DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { ADDED_FIELDS } from '../../../components/values/added-fields.js';
import { useDocuments } from '../api/list-documents.js';
import { documentColumns } from '../document-columns.js';
import { DocumentDrawer } from './document-drawer.js';
import { fieldColumn, idOf, jsonColumn } from './field-column.js';

interface RunDocumentsProps {
  databaseId: string;
  collection: string;
  /** MongoDB filter as Extended JSON text; '' for all documents. */
  filter: string;
  /** True for rows of a dataset: the fields that Trawl has added are left out, except the time. */
  isDataset: boolean;
  /** Interval after which the documents are read again; undefined for a run that has ended. */
  refreshMs: number | undefined;
  /** Buttons above the table. */
  toolbar: ReactNode;
  /** Shown if no document matches. */
  empty: ReactNode;
}

/** The documents of a collection that a run has stored, the newest first. */
export function RunDocuments(props: RunDocumentsProps) {
  const { databaseId, collection, filter, isDataset, refreshMs, toolbar, empty } = props;
  const params = useListParams('-_id');
  const query = useDocuments(databaseId, collection, { ...params.query, filter: filter || undefined }, refreshMs);
  const fields = documentColumns(query.data?.items ?? []);
  const shown = isDataset
    ? [...fields.filter(field => !ADDED_FIELDS.includes(field)), ...fields.filter(field => field === '_at')]
    : fields;
  const columns = shown.map((field, position) => {
    const column = fieldColumn(field, position, null, position === 0);
    // The order of `_id` is that of the time, and has an index.
    return isDataset && field === '_at' ? { ...column, sortBy: '_id' } : column;
  });
  const opened = parseJson(params.get('document'));
  const open = (id: string | null) => params.set({ document: id, page: params.get('page') });
  if (query.error instanceof ApiError && query.error.status === 404)
    return (
      <div className="card">
        <div className="list-bar">{toolbar}</div>
        <EmptyState title="This collection is gone">It was deleted after the run had written to it.</EmptyState>
      </div>
    );
  return (
    <>
      <DataTable
        label="Rows"
        what="The rows"
        columns={[...columns, jsonColumn(open)]}
        query={query}
        params={params}
        rowKey={idOf}
        toolbar={toolbar}
        empty={empty}
      />
      <DocumentDrawer
        databaseId={databaseId}
        collection={collection}
        id={'value' in opened ? opened.value : null}
        onClose={() => open(null)}
      />
    </>
  );
}
