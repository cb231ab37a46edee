import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Page } from '../components/page/page.js';
import { TabList } from '../components/scroll/tab-list.js';
import { KeysTable } from '../features/api-keys/components/keys-table.js';
import { NewKeyModal } from '../features/api-keys/components/new-key-modal.js';
import { RouteTester } from '../features/route-testing/components/route-tester.js';

export default function JointApiRoute() {
  const [params, setParams] = useSearchParams();
  const [isNew, setNew] = useState(false);
  const tab = params.get('tab') === 'routes' ? 'routes' : 'keys';
  return (
    <Page
      title="Joint API"
      description="Your own programs can do everything that the panel does."
      actions={
        tab === 'keys' && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
            New API key
          </Button>
        )
      }
    >
      <Tabs value={tab} onChange={value => setParams(value === 'routes' ? { tab: value } : {})} keepMounted={false}>
        <TabList>
          <Tabs.Tab value="keys">API keys</Tabs.Tab>
          <Tabs.Tab value="routes">Route testing</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="keys">
          <KeysTable onNew={() => setNew(true)} />
        </Tabs.Panel>
        <Tabs.Panel value="routes">
          <RouteTester
            operationId={params.get('route') ?? ''}
            onOperation={route => setParams({ tab, route }, { replace: true })}
          />
        </Tabs.Panel>
      </Tabs>
      {isNew && <NewKeyModal onClose={() => setNew(false)} />}
    </Page>
  );
}
