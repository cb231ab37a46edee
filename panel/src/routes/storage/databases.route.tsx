import '../../styles/storage.css';
import { Button, Tabs } from '@mantine/core';
import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { FocusableButton } from '../../components/focusable-button.js';
import { Page } from '../../components/page/page.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { NameModal } from '../../components/unsaved/name-modal.js';
import { useCreateDatabase } from '../../features/storage/api/change-databases.js';
import { DatabasesTable } from '../../features/storage/components/databases-table.js';
import { SharedDatabases } from '../../features/storage/components/shared-databases.js';
import { DATABASES_FULL, StorageUse, useDatabasesFull } from '../../features/storage/components/storage-use.js';
import { TablesTable } from '../../features/storage/postgres/tables-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function DatabasesRoute() {
  const path = usePanelPath();
  const [params, setParams] = useSearchParams();
  const [isNew, setNew] = useState(false);
  const create = useCreateDatabase();
  const isFull = useDatabasesFull();
  const tab = params.get('tab') === 'postgres' ? 'postgres' : 'mongo';
  const consoleHref = path('storage', '/sql');
  return (
    <Page
      title="Storage"
      description="The data that your skripts have stored."
      actions={
        tab === 'mongo' ? (
          <FocusableButton
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={isFull}
            aria-describedby={isFull ? DATABASES_FULL : undefined}
            onClick={() => setNew(true)}
          >
            New database
          </FocusableButton>
        ) : (
          <Button component={Link} to={consoleHref} leftSection={<IconTerminal2 size={16} aria-hidden />}>
            SQL console
          </Button>
        )
      }
    >
      <StorageUse />
      <Tabs value={tab} onChange={value => setParams(value === 'postgres' ? { tab: value } : {})} keepMounted={false}>
        <TabList>
          <Tabs.Tab value="mongo">MongoDB</Tabs.Tab>
          <Tabs.Tab value="postgres">PostgreSQL</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="mongo">
          <DatabasesTable onNew={() => setNew(true)} />
          <SharedDatabases />
        </Tabs.Panel>
        <Tabs.Panel value="postgres">
          <TablesTable consoleHref={consoleHref} />
        </Tabs.Panel>
      </Tabs>
      {isNew && (
        <NameModal
          title="New database"
          label="Name"
          description="Skripts name the database when they store data: letters and digits, with - _ . or spaces between them."
          button="Create database"
          failure="The database was not created"
          request={create}
          toSend={name => name}
          hrefOf={({ id }) => path('storage', `/${id}`)}
          onClose={() => setNew(false)}
        />
      )}
    </Page>
  );
}
