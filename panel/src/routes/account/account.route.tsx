import '../../styles/account.css';
import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Account } from '../../api/entities.js';
import { useAccount } from '../../api/requests/get-account.js';
import { isMissing, Missing } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { timeWords } from '../../components/values/time-text.js';
import { ArchiveCard } from '../../features/account/data/archive-card.js';
import { DeleteAccountCard } from '../../features/account/data/delete-account-card.js';
import { DeliveriesTable } from '../../features/account/notifications/deliveries-table.js';
import { EmailCard } from '../../features/account/notifications/email-card.js';
import { WebhookModal } from '../../features/account/notifications/webhook-modal.js';
import { useWebhook } from '../../features/account/notifications/webhooks.js';
import { WebhooksTable } from '../../features/account/notifications/webhooks-table.js';
import { PasswordForm } from '../../features/account/security/password-form.js';
import { SessionsTable } from '../../features/account/security/sessions-table.js';
import { QuotasCard } from '../../features/account/usage/quotas-card.js';
import { RowsCard } from '../../features/account/usage/rows-card.js';
import { ThemeCard } from '../../features/account/usage/theme-card.js';
import { AuditTable } from '../../features/audit-log/components/audit-table.js';

const TABS = [
  { value: 'usage', label: 'Usage' },
  { value: 'security', label: 'Security' },
  { value: 'notifications', label: 'Notifications' },
  { value: 'activity', label: 'Activity' },
  { value: 'data', label: 'Your data' },
] as const;

const WEBHOOKS_HREF = '?tab=notifications';

function Deliveries({ webhookId }: { webhookId: string }) {
  const webhook = useWebhook(webhookId);
  if (isMissing(webhook.error)) return <Missing noun="webhook" listHref={WEBHOOKS_HREF} listLabel="All webhooks" />;
  const name = webhook.data && inReadingOrder(webhook.data.name);
  return (
    <>
      <div className="account-head">
        <h2 className="section-title">{name === undefined ? 'Deliveries' : `Deliveries to ${name}`}</h2>
        <Button variant="default" size="sm" component={Link} to={WEBHOOKS_HREF}>
          All webhooks
        </Button>
      </div>
      <DeliveriesTable webhookId={webhookId} />
    </>
  );
}

function Notifications({ webhookId, onNew }: { webhookId: string; onNew: () => void }) {
  if (webhookId !== '') return <Deliveries webhookId={webhookId} />;
  return (
    <>
      <EmailCard />
      <div className="account-head">
        <h2 className="section-title">Webhooks</h2>
        <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={onNew}>
          New webhook
        </Button>
      </div>
      <WebhooksTable onNew={onNew} />
    </>
  );
}

const factsOf = ({ username, role, expires_at: ends }: Account): string =>
  `${username}, ${role}${ends === null ? '' : `. This account ends on ${timeWords(ends)}; then Trawl deletes it.`}`;

export default function AccountRoute() {
  const [params, setParams] = useSearchParams();
  const [isNew, setNew] = useState(false);
  const account = useAccount().data;
  const tab = TABS.find(({ value }) => value === params.get('tab'))?.value ?? 'usage';
  return (
    <Page title="Your account" facts={account && <span className="facts-line">{factsOf(account)}</span>}>
      <Tabs
        value={tab}
        onChange={value => setParams(value === null || value === 'usage' ? {} : { tab: value })}
        keepMounted={false}
      >
        <TabList>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value="usage">
          <QuotasCard />
          <ThemeCard />
          <RowsCard />
        </Tabs.Panel>
        <Tabs.Panel value="security">
          <PasswordForm />
          <h2 className="section-title">Where you are signed in</h2>
          <SessionsTable />
        </Tabs.Panel>
        <Tabs.Panel value="notifications">
          <Notifications webhookId={params.get('webhook') ?? ''} onNew={() => setNew(true)} />
        </Tabs.Panel>
        <Tabs.Panel value="activity">
          <AuditTable isOwn />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <ArchiveCard />
          {account && <DeleteAccountCard username={account.username} />}
        </Tabs.Panel>
      </Tabs>
      {isNew && <WebhookModal webhook={null} onClose={() => setNew(false)} />}
    </Page>
  );
}
