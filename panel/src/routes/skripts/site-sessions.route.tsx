import '../../styles/joint-api.css';
import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { ImportModal } from '../../features/site-sessions/import-modal.js';
import { SiteSessionsTable } from '../../features/site-sessions/site-sessions-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function SiteSessionsRoute() {
  const path = usePanelPath();
  const [isImporting, setImporting] = useState(false);
  return (
    <Page
      title="Sessions"
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      description="Logins to sites that your runs share."
      actions={
        <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={() => setImporting(true)}>
          Import a login
        </Button>
      }
    >
      <SiteSessionsTable runHref={id => path('skript-executions', `/${id}`)} onImport={() => setImporting(true)} />
      {isImporting && <ImportModal onClose={() => setImporting(false)} />}
    </Page>
  );
}
