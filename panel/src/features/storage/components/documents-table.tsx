import { Button, CopyButton, Drawer } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { MongoDocument } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { useDocuments } from '../api/list-documents.js';
import { cellText, documentColumns, fieldOf } from '../document-columns.js';

interface DocumentsTableProps {
  databaseId: string;
  collection: string;
  executeHref: string;
}

export function DocumentsTable({ databaseId, collection, executeHref }: DocumentsTableProps) {
  const params = useListParams('_id');
  const query = useDocuments({ db_id: databaseId, collection, ...params.query });
  const [opened, setOpened] = useState<MongoDocument | null>(null);

  const columns: Column<MongoDocument>[] = [
    ...documentColumns(query.data?.items ?? []).map(field => ({
      // The prefix is for a field named "json": without it, two columns would have the same key.
      key: `field ${field}`,
      title: field,
      sortBy: field,
      lead: field === '_id',
      render: (document: MongoDocument) => {
        const text = cellText(fieldOf(document, field));
        return (
          <span className={field === '_id' ? 'mono clip' : 'clip'} title={text}>
            {text}
          </span>
        );
      },
    })),
    {
      key: 'json',
      title: 'JSON',
      actions: true,
      render: document => (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconBraces size={14} aria-hidden />}
          onClick={() => setOpened(document)}
          aria-label={`JSON of ${cellText(document._id)}`}
        >
          JSON
        </Button>
      ),
    },
  ];

  return (
    <>
      <DataTable
        label="Documents"
        what="The documents"
        columns={columns}
        query={query}
        params={params}
        rowKey={document => JSON.stringify(document._id)}
        empty={
          <EmptyState
            title="This collection has no documents"
            action={
              <Button component={Link} to={executeHref}>
                Execute a skript
              </Button>
            }
          >
            Run the skript that writes to it to see its documents here.
          </EmptyState>
        }
      />
      <Drawer
        opened={opened !== null}
        onClose={() => setOpened(null)}
        position="right"
        size="lg"
        title="Document"
        closeButtonProps={{ 'aria-label': 'Close the document' }}
      >
        {opened && (
          <>
            <CopyButton value={JSON.stringify(opened, null, 2)}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" mb="md" onClick={copy}>
                  {copied ? 'Copied' : 'Copy as JSON'}
                </Button>
              )}
            </CopyButton>
            <JsonTree value={opened} openDepth={3} />
          </>
        )}
      </Drawer>
    </>
  );
}
