import { Box, Button, Group, Menu, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { countText } from '@trawl/contracts';
import { Link } from 'react-router';
import type { SiteSession } from '../../api/entities.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { NoMatches } from '../../components/list/no-matches.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { SearchField } from '../../components/list/search-field.js';
import { CopyableCode } from '../../components/values/copyable-code.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { Status } from '../../components/values/status.js';
import { useDeleteSiteSession, useExportSiteSession, useSiteSessions } from './site-sessions.js';

const SHOWN_ORIGINS = 3;
const SHOWN_RUNS = 3;

const EXAMPLE = `const { session } = require('@trawl/storage');

module.exports = async ({ url }, { user, password }) => {
  const shop = session('shop');
  // Logs in only if no run has, or if the login has expired.
  await shop.check(async () => {
    const body = new URLSearchParams({ user, password });
    await shop.fetch(url + '/login', { method: 'POST', body });
  });
  const orders = await shop.fetch(url + '/orders');
  return orders.text();
};`;

/** The first items of a list, and how many more there are. */
function firstOf(items: readonly string[], count: number): string {
  const more = items.length - count;
  return `${items.slice(0, count).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function Expiry({ session: { saved_at: savedAt, expires_at: end } }: { session: SiteSession }) {
  if (savedAt === null) return <Status tone="quiet" label="no login yet" hollow />;
  if (end === null) return <>when the site ends it</>;
  if (Date.parse(end) <= Date.now()) return <Status tone="warn" label="expired" />;
  return <RelativeTime iso={end} />;
}

function Runs({ runs, runHref }: { runs: SiteSession['runs']; runHref: (id: string) => string }) {
  if (runs.length === 0) return <span className="cell-sub">none</span>;
  return (
    <div>
      {runs.slice(0, SHOWN_RUNS).map(({ execution_id: id, skript_name: name, logs_in: logsIn }) => (
        <div key={id}>
          <Link className="link" to={runHref(id)}>
            {inReadingOrder(name)}
          </Link>
          {logsIn && <span className="cell-sub">logs in now</span>}
        </div>
      ))}
      {runs.length > SHOWN_RUNS && <span className="cell-sub">and {runs.length - SHOWN_RUNS} more</span>}
    </div>
  );
}

function SessionActions({ session }: { session: SiteSession }) {
  const exported = useExportSiteSession();
  const remove = useDeleteSiteSession();
  const { name } = session;
  const askToExport = () =>
    modals.openConfirmModal({
      title: `Export ${name}?`,
      children: (
        <Text size="sm">
          The file contains the login itself. Anybody who has it can use your account on the site, without the password.
          Keep it as safe as a password, and delete it when you no longer need it. The audit log notes the export.
        </Text>
      ),
      labels: { confirm: 'Export login', cancel: 'Cancel' },
      onConfirm: () => exported.mutate(session),
    });
  const askToDelete = () =>
    confirmDelete({
      title: `Delete ${name}?`,
      children:
        'The next run that needs it logs in again. The site does not hear of it: to end the login, sign out there.',
      confirmLabel: 'Delete session',
      onConfirm: () => remove.mutate(session),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button
        size="compact-sm"
        variant="default"
        loading={exported.isPending}
        disabled={session.saved_at === null}
        onClick={askToExport}
        aria-label={`Export ${name}`}
      >
        Export
      </Button>
      <RowMenu of={name} isBusy={remove.isPending}>
        <Menu.Item color="red" onClick={askToDelete}>
          Delete…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}

const columnsWith = (runHref: (id: string) => string): Column<SiteSession>[] => [
  {
    key: 'name',
    title: 'Session',
    sortBy: 'name',
    lead: true,
    render: ({ name, origins, cookies }) => (
      <>
        <span className="cell-title mono">{name}</span>
        <span className="cell-sub" title={origins.join('\n')} style={{ overflowWrap: 'anywhere' }}>
          {origins.length > 0 && `${firstOf(origins, SHOWN_ORIGINS)}, ${countText(cookies, 'cookie')}`}
        </span>
      </>
    ),
  },
  {
    key: 'saved',
    title: 'Saved',
    sortBy: 'saved_at',
    brief: true,
    named: true,
    render: ({ saved_at: at }) => (at === null ? 'never' : <RelativeTime iso={at} />),
  },
  {
    key: 'expires',
    title: 'Expires',
    sortBy: 'expires_at',
    brief: true,
    named: true,
    render: session => <Expiry session={session} />,
  },
  {
    key: 'used',
    title: 'Last used',
    sortBy: 'last_used_at',
    render: ({ last_used_at: at }) => (at === null ? 'never' : <RelativeTime iso={at} />),
  },
  { key: 'runs', title: 'Runs that use it', render: ({ runs }) => <Runs runs={runs} runHref={runHref} /> },
  { key: 'actions', title: 'Actions', actions: true, render: session => <SessionActions session={session} /> },
];

interface SiteSessionsTableProps {
  runHref: (executionId: string) => string;
  onImport: () => void;
}

/** Table of the logins to sites that the account's runs share. */
export function SiteSessionsTable({ runHref, onImport }: SiteSessionsTableProps) {
  const params = useListParams('name');
  const search = params.get('search');
  const query = useSiteSessions({ ...params.query, name_contains: search || undefined });
  return (
    <DataTable
      label="Sessions"
      what="The sessions"
      columns={columnsWith(runHref)}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <SearchField label="Search by name" value={search} onChange={text => params.set({ search: text || null })} />
      }
      empty={
        search ? (
          <NoMatches params={params} filters={['search']} title="No matching sessions">
            No session has this text in its name.
          </NoMatches>
        ) : (
          <>
            <EmptyState title="No sessions yet" action={<Button onClick={onImport}>Import a login</Button>}>
              A session is a login to a site that your runs share. Write this in a skript, or import the cookies of your
              browser.
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
