import '../../styles/dashboard.css';
import '../../styles/storage.css';
import { Button, Skeleton, Tabs } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { Link, useParams, useSearchParams } from 'react-router';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { exportPath } from '../../components/runs/target-place.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { TableGroups } from '../../features/storage/groups/table-groups.js';
import { TableColumns, TableRows } from '../../features/storage/postgres/table-rows.js';
import { useTable } from '../../features/storage/postgres/tables.js';
import { usePanelPath } from '../../session/panel-path.js';

const TABS = ['rows', 'groups', 'columns'] as const;

export default function TableRoute() {
  const { schema = '', table = '' } = useParams();
  const query = useTable(schema, table);
  const path = usePanelPath();
  const [params, setParams] = useSearchParams();
  const tab = TABS.find(name => name === params.get('tab')) ?? 'rows';
  const exportHref = path('exporters', exportPath({ store: 'postgresql', schema, table }));
  return (
    <Page
      title={schema === 'public' ? table : `${schema}.${table}`}
      crumbs={
        <>
          <Link to={path('storage')}>Storage</Link>
          <span aria-hidden="true">/</span>
          <Link to={path('storage', '?tab=postgres')}>PostgreSQL</Link>
        </>
      }
      actions={
        <>
          <Button variant="default" component={Link} to={exportHref}>
            Export…
          </Button>
          <Button component={Link} to={path('storage', '/sql')} leftSection={<IconTerminal2 size={16} aria-hidden />}>
            SQL console
          </Button>
        </>
      }
    >
      {query.data ? (
        <Tabs
          value={tab}
          onChange={value => setParams(value === 'rows' || value === null ? {} : { tab: value })}
          keepMounted={false}
        >
          <TabList>
            <Tabs.Tab value="rows">Rows</Tabs.Tab>
            <Tabs.Tab value="groups">Groups</Tabs.Tab>
            <Tabs.Tab value="columns">Columns</Tabs.Tab>
          </TabList>
          <Tabs.Panel value="rows">
            <TableRows schema={schema} table={table} />
          </Tabs.Panel>
          <Tabs.Panel value="groups">
            <TableGroups schema={schema} table={table} columns={query.data.columns} exportHref={exportHref} />
          </Tabs.Panel>
          <Tabs.Panel value="columns">
            <TableColumns schema={schema} table={table} />
          </Tabs.Panel>
        </Tabs>
      ) : query.isError ? (
        <LoadFailure noun="table" listHref={path('storage', '?tab=postgres')} listLabel="All tables" query={query} />
      ) : (
        <Skeleton height={320} radius={10} />
      )}
    </Page>
  );
}
