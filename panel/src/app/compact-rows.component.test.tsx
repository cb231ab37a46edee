import { screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { DeliveriesTable } from '../features/account/notifications/deliveries-table.js';
import { WebhooksTable } from '../features/account/notifications/webhooks-table.js';
import { SessionsTable } from '../features/account/security/sessions-table.js';
import { KeysTable } from '../features/api-keys/components/keys-table.js';
import { AuditTable } from '../features/audit-log/components/audit-table.js';
import { MessagesTable } from '../features/contact-messages/messages-table.js';
import { ExportsTable } from '../features/exporters/exports/exports-table.js';
import { ImportsTable } from '../features/exporters/imports/imports-table.js';
import { ExportersTable } from '../features/exporters/saved/exporters-table.js';
import { AllRunsTable } from '../features/platform/all-runs-table.js';
import { PoliteDomainsTable } from '../features/polite-domains/polite-domains-table.js';
import { PoolsTable } from '../features/proxies/pools-table.js';
import { ProxiesTable } from '../features/proxies/proxies-table.js';
import { HostsTable } from '../features/queues/hosts-table.js';
import { QueuesTable } from '../features/queues/queues-table.js';
import { FiresTable } from '../features/scheduler/components/fires-table.js';
import { SiteSessionsTable } from '../features/site-sessions/site-sessions-table.js';
import { RowComparison } from '../features/skript-executions/changes/row-comparison.js';
import { RunChanges } from '../features/skript-executions/changes/run-changes.js';
import { ExecutionsTable } from '../features/skript-executions/components/executions-table.js';
import { IssuesTable } from '../features/skript-executions/issues/issues-table.js';
import RunProxies from '../features/skript-executions/proxies/run-proxies.js';
import { SkriptsTable } from '../features/skripts/components/skripts-table.js';
import { TargetsTable } from '../features/skripts/data/targets-table.js';
import { useWrittenData } from '../features/skripts/data/written-data.js';
import { InputsTab } from '../features/skripts/inputs/components/inputs-tab.js';
import { ItemHistory } from '../features/skripts/items/item-history.js';
import { ItemsTable } from '../features/skripts/items/items-table.js';
import { VersionsTab } from '../features/skripts/versions/components/versions-tab.js';
import { CollectionsTable } from '../features/storage/components/collections-table.js';
import { DatabasesTable } from '../features/storage/components/databases-table.js';
import { IndexesTable } from '../features/storage/components/indexes-table.js';
import { TableColumns } from '../features/storage/postgres/table-rows.js';
import { TablesTable } from '../features/storage/postgres/tables-table.js';
import { UsersTable } from '../features/users/components/users-table.js';
import { WorkerGroups } from '../features/workers/components/worker-groups.js';
import { WorkersTable } from '../features/workers/components/workers-table.js';
import SchedulesRoute from '../routes/scheduler/schedules.route.js';
import { run } from '../test-run.js';
import { listOf, onPhone, showScreen } from '../test-screen.js';

const at = '2026-01-01T00:00:00.000Z';
const ITEM = { id: 'i', key: 'k', fields: {}, first_seen: at, last_seen: at, changed_at: at, gone_at: null };

const nothing = () => {};
const href = () => '/here';

function WrittenTargets() {
  const query = useWrittenData('s');
  return <TargetsTable skriptId="s" query={query} chosen={undefined} hrefOf={href} renderCount={() => '3'} />;
}

/** Every list except that of documents, by the file that contains it. `long-lists.unit.test.ts` reports missing ones. */
const LISTS: Record<string, ReactElement> = {
  'account/notifications/deliveries-table.tsx': <DeliveriesTable webhookId="w" />,
  'account/notifications/webhooks-table.tsx': <WebhooksTable onNew={nothing} />,
  'account/security/sessions-table.tsx': <SessionsTable />,
  'api-keys/components/keys-table.tsx': <KeysTable onNew={nothing} />,
  'audit-log/components/audit-table.tsx': <AuditTable />,
  'contact-messages/messages-table.tsx': <MessagesTable />,
  'exporters/exports/exports-table.tsx': <ExportsTable newHref="/new" />,
  'exporters/imports/imports-table.tsx': <ImportsTable onUpload={nothing} />,
  'exporters/saved/exporters-table.tsx': <ExportersTable newHref="/new" hrefOf={href} />,
  'platform/all-runs-table.tsx': <AllRunsTable />,
  'polite-domains/polite-domains-table.tsx': <PoliteDomainsTable />,
  'proxies/pools-table.tsx': <PoolsTable poolHref={href} onAdd={nothing} />,
  'proxies/proxies-table.tsx': <ProxiesTable poolId="p" />,
  'queues/hosts-table.tsx': <HostsTable queueId="q" />,
  'queues/queues-table.tsx': <QueuesTable queueHref={href} />,
  'scheduler/components/fires-table.tsx': <FiresTable scheduleId="s" executionHref={href} />,
  'scheduler/components/schedules-table.tsx': <SchedulesRoute />,
  'site-sessions/site-sessions-table.tsx': <SiteSessionsTable runHref={href} onImport={nothing} />,
  'skript-executions/changes/row-comparison.tsx': <RowComparison executionId="e" otherId="o" />,
  'skript-executions/changes/run-changes.tsx': <RunChanges execution={run()} lastGood={null} onCompare={nothing} />,
  'skript-executions/components/executions-table.tsx': <ExecutionsTable executeHref="/execute" />,
  'skript-executions/issues/issues-table.tsx': (
    <IssuesTable links={{ skript: href, version: href, runs: href, run: href }} />
  ),
  'skript-executions/proxies/run-proxies.tsx': <RunProxies execution={run()} />,
  'skripts/components/skripts-table.tsx': (
    <SkriptsTable executeHref={href} runHref={href} runsHref={href} onNew={nothing} />
  ),
  'skripts/data/targets-table.tsx': <WrittenTargets />,
  'skripts/inputs/components/named-values.tsx': <InputsTab skriptId="s" />,
  'skripts/items/item-history.tsx': <ItemHistory skriptId="s" itemKey="k" listHref="/items" runHref={href} />,
  'skripts/items/items-table.tsx': <ItemsTable skriptId="s" hrefOf={href} />,
  'skripts/versions/components/versions-tab.tsx': <VersionsTab skriptId="s" isDirty={false} />,
  'storage/components/collections-table.tsx': (
    <CollectionsTable databaseId="d" executeHref="/execute" onNew={nothing} />
  ),
  'storage/components/databases-table.tsx': <DatabasesTable onNew={nothing} />,
  'storage/components/indexes-table.tsx': <IndexesTable databaseId="d" collection="books" />,
  // This file also lists the rows of a table. Users choose its columns, so the panel cannot know the main ones.
  'storage/postgres/table-rows.tsx': <TableColumns schema="public" table="books" />,
  'storage/postgres/tables-table.tsx': <TablesTable consoleHref="/sql" />,
  'users/components/users-table.tsx': <UsersTable onNew={nothing} />,
  'workers/components/worker-groups.tsx': <WorkerGroups />,
  'workers/components/workers-table.tsx': <WorkersTable isAdmin onNew={nothing} />,
};

it.each(Object.entries(LISTS))('the list in %s has compact rows on phones', (_, list) =>
  onPhone(async () => {
    showScreen(list, {
      'GET /apps/worker-groups/list': listOf({ id: 'g', name: 'paris', public: false, connected: 0, workers: 1 }),
      'GET /joint-api/skripts/s/items': listOf(ITEM),
    });
    const [table] = await screen.findAllByRole('table');
    expect(table?.dataset).toHaveProperty('compact');
  }),
);
