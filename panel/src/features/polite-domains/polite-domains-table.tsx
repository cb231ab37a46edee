import { Button, Group, Menu } from '@mantine/core';
import { useState } from 'react';
import type { PoliteDomain } from '../../api/entities.js';
import { EmptyState } from '../../components/feedback/states.js';
import { ChoiceFilter } from '../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { NoMatches } from '../../components/list/no-matches.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { SearchField } from '../../components/list/search-field.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { Status } from '../../components/values/status.js';
import { BudgetModal } from './budget-modal.js';
import { usePoliteDomains, useReopenPoliteDomain, useResetPoliteDomain } from './polite-domains.js';

const SOURCES: Record<PoliteDomain['source'], string> = {
  domain: 'this domain',
  account: 'all domains (*)',
  default: 'Trawl',
};

const robotsText = ({ robots, crawl_delay_ms: delay }: PoliteDomain): string =>
  delay === null ? robots : `${robots}, asks for ${delay / 1_000} s between requests`;

function DomainActions({ domain, onChange }: { domain: PoliteDomain; onChange: () => void }) {
  const reopen = useReopenPoliteDomain();
  const reset = useResetPoliteDomain();
  const { domain: name, closed_until: closedUntil, source } = domain;
  const isSet = source === 'domain' || name === '*';
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button size="compact-sm" variant="default" onClick={onChange} aria-label={`Change the budget of ${name}`}>
        Change
      </Button>
      <RowMenu of={name} isBusy={reopen.isPending || reset.isPending}>
        <Menu.Item disabled={closedUntil === null} onClick={() => reopen.mutate(domain)}>
          Reopen
        </Menu.Item>
        <Menu.Item disabled={!isSet} onClick={() => reset.mutate(domain)}>
          Reset to default
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

const columnsWith = (onChange: (domain: PoliteDomain) => void): Column<PoliteDomain>[] => [
  {
    key: 'domain',
    title: 'Domain',
    sortBy: 'domain',
    lead: true,
    names: true,
    render: ({ domain }) => <span className="cell-title mono">{domain}</span>,
  },
  {
    key: 'rate',
    title: 'Requests/s',
    brief: true,
    named: true,
    render: ({ requests_per_second: rate }) => rate.toLocaleString('en-GB'),
  },
  { key: 'burst', title: 'Burst', render: ({ burst }) => burst.toLocaleString('en-GB') },
  {
    key: 'concurrency',
    title: 'Concurrent requests',
    render: ({ max_concurrency: limit }) => limit?.toLocaleString('en-GB') ?? 'no limit',
  },
  { key: 'robots', title: 'robots.txt', render: domain => robotsText(domain) },
  { key: 'source', title: 'Set for', render: ({ source }) => SOURCES[source] },
  {
    key: 'state',
    title: 'State',
    brief: true,
    named: true,
    render: ({ closed_until: at }) =>
      at === null ? (
        <Status tone="quiet" label="open" hollow />
      ) : (
        <>
          <Status tone="warn" label="closed" /> until <RelativeTime iso={at} />
        </>
      ),
  },
  {
    key: 'actions',
    title: 'Actions',
    actions: true,
    render: domain => <DomainActions domain={domain} onChange={() => onChange(domain)} />,
  },
];

/** Table of the domains whose budgets the account's polite runs share. */
export function PoliteDomainsTable() {
  const params = useListParams('domain');
  const [changed, setChanged] = useState<PoliteDomain | null>(null);
  const search = params.get('search');
  const show = params.get('show') as 'set' | 'closed' | '';
  const query = usePoliteDomains({
    ...params.query,
    domain_contains: search || undefined,
    show: show || undefined,
  });
  return (
    <>
      <DataTable
        label="Polite domains"
        what="The domains"
        columns={columnsWith(setChanged)}
        query={query}
        params={params}
        rowKey={({ domain }) => domain}
        toolbar={
          <>
            <SearchField
              label="Search by domain"
              value={search}
              onChange={text => params.set({ search: text || null })}
            />
            <ChoiceFilter
              params={params}
              name="show"
              label="All domains"
              choices={[
                { value: 'set', label: 'With own budget' },
                { value: 'closed', label: 'Closed' },
              ]}
              width={170}
            />
          </>
        }
        empty={
          search || show ? (
            <NoMatches params={params} filters={['search', 'show']} title="No matching domains">
              No domain matches these filters.
            </NoMatches>
          ) : (
            <EmptyState title="No domains yet">
              Here are domains whose budget you set, and domains to which polite runs have just sent requests. Tick
              Polite in the settings of a skript to make its runs polite.
            </EmptyState>
          )
        }
      />
      {changed && <BudgetModal of={changed} onClose={() => setChanged(null)} />}
    </>
  );
}
