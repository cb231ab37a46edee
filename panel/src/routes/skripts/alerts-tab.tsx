import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { Skript } from '../../api/entities.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { EmailLine } from '../../features/account/notifications/email-line.js';
import { WebhookModal } from '../../features/account/notifications/webhook-modal.js';
import { WebhooksOfSkript } from '../../features/account/notifications/webhooks-table.js';
import { IssuesTable } from '../../features/skript-executions/issues/issues-table.js';
import { usePanelPath } from '../../session/panel-path.js';

/** The notifications about a skript, and its open issues. */
export default function AlertsTab({ skript }: { skript: Skript }) {
  const { role = '' } = useParams();
  const path = usePanelPath();
  const params = useUrlParams();
  const accountHref = `/${role}/account`;
  const setNew = (isNew: boolean) => params.set({ new: isNew ? '1' : null });
  return (
    <>
      <Group justify="space-between" mb="sm">
        <EmailLine accountHref={accountHref} />
        <Button ml="auto" size="sm" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setNew(true)}>
          New webhook
        </Button>
      </Group>
      <WebhooksOfSkript skriptId={skript.id} accountHref={accountHref} />
      <h2 className="section-title">Issues</h2>
      <IssuesTable
        skriptId={skript.id}
        links={{
          skript: id => path('skripts', `/${id}`),
          version: (id, hash) => path('skripts', `/${id}?version=${hash}`),
          runs: id => path('skript-executions', `?issue_id=${id}`),
          run: id => path('skript-executions', `/${id}`),
        }}
      />
      {params.get('new') !== '' && (
        <WebhookModal webhook={null} skript={{ id: skript.id, title: skript.title }} onClose={() => setNew(false)} />
      )}
    </>
  );
}
