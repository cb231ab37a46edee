import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../../api/api-error.js';
import type { MongoDocument } from '../../../api/entities.js';
import { Missing } from '../../../components/feedback/load-failure.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { parseJson } from '../../../components/json-tree/json-nodes.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { useRowSelection } from '../../../components/list/row-selection.js';
import { FilterBar } from '../../../components/mongo-filter/filter-bar.js';
import { urlFilter } from '../../../components/mongo-filter/url-filter.js';
import { keptCollection } from '../../../components/values/kept-collections.js';
import { useIsReadOnly } from '../api/get-database.js';
import { useDocuments, useFieldShares } from '../api/list-documents.js';
import { cellText, chosenColumns, documentColumns, skriptFieldsFirst } from '../document-columns.js';
import { ColumnsMenu, FilledShare } from './columns-menu.js';
import { DeleteDocuments } from './delete-documents.js';
import { DocumentDrawer } from './document-drawer.js';
import { fieldColumn, idOf, jsonColumn } from './field-column.js';

interface DocumentsTableProps {
  databaseId: string;
  collection: string;
  collectionsHref: string;
  executeHref: string;
  /** Address of the export form, for the documents that match the filter. */
  exportHref: string;
  onAdd: () => void;
}

export function DocumentsTable({
  databaseId,
  collection,
  collectionsHref,
  executeHref,
  exportHref,
  onAdd,
}: DocumentsTableProps) {
  const isReadOnly = useIsReadOnly(databaseId);
  const params = useListParams('-_id');
  const { filter, bar } = urlFilter(params);
  const query = useDocuments(databaseId, collection, { ...params.query, filter });
  const shares = useFieldShares(databaseId, collection, filter).data;
  const documents = query.data?.items ?? [];
  const selection = useRowSelection(documents, idOf, ({ _id }) => cellText(_id));

  const isDataset = keptCollection(collection)?.kind === 'Dataset';
  const usual = isDataset ? skriptFieldsFirst(documentColumns(documents)) : documentColumns(documents);
  const shown = chosenColumns(params.get('columns')) ?? usual;
  const fields = [...new Set([...usual, ...(shares?.filled.keys() ?? []), ...shown])];
  const opened = parseJson(params.get('document'));

  const columns: Column<MongoDocument>[] = [
    ...(isReadOnly ? [] : [selection.column]),
    ...shown.map((field, position) =>
      fieldColumn(
        field,
        position,
        <FilledShare field={field} shares={shares} />,
        isDataset ? position === 0 : field === '_id',
      ),
    ),
    jsonColumn(id => params.set({ document: id, page: params.get('page') })),
  ];
  const clearFilter = () => params.set({ where: null, filter: null });

  if (query.error instanceof ApiError && query.error.status === 404)
    return <Missing noun="collection" listHref={collectionsHref} listLabel="All collections" />;

  return (
    <>
      <DataTable
        label="Documents"
        what="The documents"
        columns={columns}
        query={query}
        params={params}
        rowKey={idOf}
        toolbar={
          <>
            <FilterBar {...bar} fields={fields} />
            <span className="bar-end">
              <ColumnsMenu
                fields={fields}
                shown={shown}
                shares={shares}
                onChange={chosen => params.set({ columns: chosen && JSON.stringify(chosen), page: params.get('page') })}
              />
              <Button size="sm" variant="default" component={Link} to={exportHref}>
                Export…
              </Button>
              {!isReadOnly && (
                <DeleteDocuments
                  databaseId={databaseId}
                  collection={collection}
                  selected={selection.selected}
                  filter={filter}
                  matching={query.data}
                  onDone={() => selection.select([])}
                />
              )}
            </span>
          </>
        }
        empty={
          filter ? (
            <EmptyState
              title="No matching documents"
              action={
                <Button variant="default" onClick={clearFilter}>
                  Clear the filter
                </Button>
              }
            >
              No document of this collection matches all conditions.
            </EmptyState>
          ) : (
            <EmptyState
              title="This collection has no documents"
              action={
                <>
                  <Button component={Link} to={executeHref} mr="xs">
                    Execute a skript
                  </Button>
                  {!isReadOnly && (
                    <Button variant="default" onClick={onAdd}>
                      Add documents
                    </Button>
                  )}
                </>
              }
            >
              Run the skript that writes to it to see its documents here.
            </EmptyState>
          )
        }
      />
      <DocumentDrawer
        databaseId={databaseId}
        collection={collection}
        id={'value' in opened ? opened.value : null}
        onClose={() => params.set({ document: null, page: params.get('page') })}
      />
    </>
  );
}
