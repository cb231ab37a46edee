import { byteSize, countText } from '@trawl/contracts';
import '../../styles/storage.css';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { isMissing, Missing } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { NameModal } from '../../components/unsaved/name-modal.js';
import { useCreateCollection } from '../../features/storage/api/change-collections.js';
import { useDatabase } from '../../features/storage/api/get-database.js';
import { CollectionsTable } from '../../features/storage/components/collections-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function CollectionsRoute() {
  const { databaseId = '' } = useParams();
  const path = usePanelPath();
  const [isNew, setNew] = useState(false);
  const query = useDatabase(databaseId);
  const database = query.data;
  const create = useCreateCollection(databaseId);
  if (isMissing(query.error))
    return (
      <Page title="Database" crumbs={<Link to={path('storage')}>Storage</Link>}>
        <Missing noun="database" listHref={path('storage')} listLabel="All databases" />
      </Page>
    );
  return (
    <Page
      title={database?.name ?? 'Database'}
      facts={
        database && (
          <span className="facts-line">
            {countText(database.documents, 'document')}, {byteSize(database.storage_size)} on disk with indexes.
            {database.read_only && ' Shared by an administrator, read-only.'}
          </span>
        )
      }
      crumbs={<Link to={path('storage')}>Storage</Link>}
      actions={
        database?.read_only !== true && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
            New collection
          </Button>
        )
      }
    >
      <CollectionsTable databaseId={databaseId} executeHref={path('execute-skript')} onNew={() => setNew(true)} />
      {isNew && (
        <NameModal
          title="New collection"
          label="Name"
          description="A skript that stores its first document also creates its collection."
          button="Create collection"
          failure="The collection was not created"
          request={create}
          toSend={name => name}
          hrefOf={({ name }) => path('storage', `/${databaseId}/${encodeURIComponent(name)}`)}
          onClose={() => setNew(false)}
        />
      )}
    </Page>
  );
}
