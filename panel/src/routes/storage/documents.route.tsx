import '../../styles/dashboard.css';
import '../../styles/storage.css';
import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useSkript } from '../../api/requests/get-skript.js';
import { isMissing, Missing } from '../../components/feedback/load-failure.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { Page } from '../../components/page/page.js';
import { exportPath } from '../../components/runs/target-place.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { collectionTitle, keptCollection } from '../../components/values/kept-collections.js';
import { useDatabase } from '../../features/storage/api/get-database.js';
import { IndexModal } from '../../features/storage/components/index-modal.js';
import { IndexesTable } from '../../features/storage/components/indexes-table.js';
import { AddDocumentsModal } from '../../features/storage/documents/document-modal.js';
import { DocumentsTable } from '../../features/storage/documents/documents-table.js';
import { CollectionGroups } from '../../features/storage/groups/collection-groups.js';
import { usePanelPath } from '../../session/panel-path.js';

const TABS = ['documents', 'groups', 'indexes'] as const;

export default function DocumentsRoute() {
  const { databaseId = '', collection = '' } = useParams();
  const path = usePanelPath();
  const params = useUrlParams();
  const [isNew, setNew] = useState(false);
  const database = useDatabase(databaseId);
  const name = database.data?.name ?? 'Database';
  const isReadOnly = database.data?.read_only === true;
  const kept = keptCollection(collection);
  const skript = useSkript(kept?.skriptId ?? '').data;
  const tab = TABS.find(name => name === params.get('tab')) ?? 'documents';
  const place = { databaseId, collection };
  const exportHref = path(
    'exporters',
    exportPath({ store: 'mongodb', ...place }, { where: params.get('where'), filter: params.get('filter') }),
  );
  if (isMissing(database.error))
    return (
      <Page title={collection} crumbs={<Link to={path('storage')}>Storage</Link>}>
        <Missing noun="database" listHref={path('storage')} listLabel="All databases" />
      </Page>
    );
  return (
    <Page
      title={collectionTitle(collection, () => skript?.title)}
      facts={
        kept &&
        skript && (
          <span className="facts-line">
            <Link className="link" to={path('skripts', `/${skript.id}`)}>
              Open the skript
            </Link>
            <span className="mono">{collection}</span>
          </span>
        )
      }
      crumbs={
        <>
          <Link to={path('storage')}>Storage</Link>
          <span aria-hidden="true">/</span>
          <Link to={path('storage', `/${databaseId}`)}>{name}</Link>
        </>
      }
      actions={
        !isReadOnly &&
        tab !== 'groups' && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
            {tab === 'documents' ? 'Add documents' : 'New index'}
          </Button>
        )
      }
    >
      <Tabs
        value={tab}
        onChange={value => params.set({ tab: value === 'documents' ? null : value })}
        keepMounted={false}
      >
        <TabList>
          <Tabs.Tab value="documents">Documents</Tabs.Tab>
          <Tabs.Tab value="groups">Groups</Tabs.Tab>
          <Tabs.Tab value="indexes">Indexes</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="documents">
          <DocumentsTable
            {...place}
            collectionsHref={path('storage', `/${databaseId}`)}
            executeHref={path('execute-skript')}
            exportHref={exportHref}
            onAdd={() => setNew(true)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="groups">
          <CollectionGroups {...place} exportHref={exportHref} />
        </Tabs.Panel>
        <Tabs.Panel value="indexes">
          <IndexesTable {...place} />
        </Tabs.Panel>
      </Tabs>
      {isNew && tab === 'documents' && <AddDocumentsModal {...place} onClose={() => setNew(false)} />}
      {isNew && tab === 'indexes' && <IndexModal {...place} onClose={() => setNew(false)} />}
    </Page>
  );
}
