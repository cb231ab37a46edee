import { Box } from '@mantine/core';
import { Link } from 'react-router';
import type { Queue } from '../../api/entities.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { NoMatches } from '../../components/list/no-matches.js';
import { SearchField } from '../../components/list/search-field.js';
import { CopyableCode } from '../../components/values/copyable-code.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { countColumns } from './count-columns.js';
import { QueueActions } from './queue-actions.js';
import { useQueues } from './queues.js';

const EXAMPLE = `const { queue } = require('@trawl/storage');

module.exports = async ({ url }) => {
  const pages = queue('shop-pages');
  await pages.add(url);
  for await (const request of pages.take()) {
    // Read the page, and add its links with pages.add(…).
    await pages.done(request);
  }
};`;

const columnsWith = (queueHref: (id: string) => string): Column<Queue>[] => [
  {
    key: 'name',
    title: 'Queue',
    sortBy: 'name',
    lead: true,
    names: true,
    render: ({ id, name }) => (
      <Link className="cell-title mono" to={queueHref(id)}>
        {name}
      </Link>
    ),
  },
  ...countColumns<Queue>(),
  {
    key: 'rate',
    title: 'Done a minute',
    render: ({ done_per_minute: rate }) => rate.toLocaleString('en-GB'),
  },
  {
    key: 'updated',
    title: 'Last change',
    sortBy: 'updated_at',
    render: ({ updated_at: at }) => <RelativeTime iso={at} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: queue => <QueueActions queue={queue} size="compact-sm" />,
  },
];

/** Table of the queues that the account's runs share. */
export function QueuesTable({ queueHref }: { queueHref: (id: string) => string }) {
  const params = useListParams('-updated_at');
  const search = params.get('search');
  const query = useQueues({ ...params.query, name_contains: search || undefined });
  return (
    <DataTable
      label="Queues"
      what="The queues"
      columns={columnsWith(queueHref)}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <SearchField label="Search by name" value={search} onChange={text => params.set({ search: text || null })} />
      }
      empty={
        search ? (
          <NoMatches params={params} filters={['search']} title="No matching queues">
            No queue has this text in its name.
          </NoMatches>
        ) : (
          <>
            <EmptyState title="No queues yet">
              A queue has the pages of a crawl. It stays when a run ends, and several runs can share it. Crawlers of
              Crawlee make one by themselves; in other skripts, write this.
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
