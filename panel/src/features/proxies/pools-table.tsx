import { Box, Button } from '@mantine/core';
import { Link } from 'react-router';
import type { ProxyPool } from '../../api/entities.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { NoMatches } from '../../components/list/no-matches.js';
import { SearchField } from '../../components/list/search-field.js';
import { CopyableCode } from '../../components/values/copyable-code.js';
import { Status } from '../../components/values/status.js';
import { columnsOfUse } from './columns-of-use.js';
import { PoolActions } from './pool-actions.js';
import { useProxyPools } from './proxies.js';

const EXAMPLE = `const { proxy } = require('@trawl/storage');

module.exports = async ({ url }) => {
  await proxy({ pool: 'residential', country: 'de' });
  const response = await fetch(url);
  return response.text();
};`;

const tagsText = ({ countries, tiers }: ProxyPool): string =>
  [countries.join(', '), tiers.length > 1 && `tiers ${tiers.join(', ')}`].filter(Boolean).join('; ') || 'none';

const columnsWith = (poolHref: (id: string) => string): Column<ProxyPool>[] => [
  {
    key: 'name',
    title: 'Pool',
    sortBy: 'name',
    lead: true,
    names: true,
    render: ({ id, name, is_sticky: isSticky }) => (
      <>
        <Link className="cell-title mono" to={poolHref(id)}>
          {name}
        </Link>
        {isSticky && <span className="cell-sub">one proxy for each run</span>}
      </>
    ),
  },
  {
    key: 'proxies',
    title: 'Proxies',
    brief: true,
    named: true,
    render: ({ proxies, resting }) =>
      resting === 0 ? (
        proxies.toLocaleString('en-GB')
      ) : (
        <>
          {proxies.toLocaleString('en-GB')}, <Status tone="warn" label={`${resting.toLocaleString('en-GB')} resting`} />
        </>
      ),
  },
  { key: 'tags', title: 'Tags', names: true, render: tagsText },
  ...columnsOfUse<ProxyPool>(false),
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: pool => <PoolActions pool={pool} size="compact-sm" />,
  },
];

interface PoolsTableProps {
  poolHref: (id: string) => string;
  onAdd: () => void;
}

/** Table of the account's pools of proxies. */
export function PoolsTable({ poolHref, onAdd }: PoolsTableProps) {
  const params = useListParams('name');
  const search = params.get('search');
  const query = useProxyPools({ ...params.query, name_contains: search || undefined });
  return (
    <DataTable
      label="Pools of proxies"
      what="The pools"
      columns={columnsWith(poolHref)}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <SearchField label="Search by name" value={search} onChange={text => params.set({ search: text || null })} />
      }
      empty={
        search ? (
          <NoMatches params={params} filters={['search']} title="No matching pools">
            No pool has this text in its name.
          </NoMatches>
        ) : (
          <>
            <EmptyState title="No pools yet" action={<Button onClick={onAdd}>Add a pool</Button>}>
              A pool has proxies that you bring. Choose it in the settings of a skript, or write this in a skript. All
              connections of the run then go through the pool, those of a browser included.
            </EmptyState>
            <Box p="md">
              <CopyableCode title="main.js" code={EXAMPLE} />
            </Box>
          </>
        )
      }
    />
  );
}
