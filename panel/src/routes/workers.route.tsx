import '../styles/workers.css';
import { Button } from '@mantine/core';
import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Page } from '../components/page/page.js';
import { WorkerGroups } from '../features/workers/components/worker-groups.js';
import { GroupModal, WorkerModal } from '../features/workers/components/worker-modal.js';
import { WorkersTable } from '../features/workers/components/workers-table.js';
import { useIsAdmin } from '../session/use-is-admin.js';

export default function WorkersRoute() {
  const isAdmin = useIsAdmin();
  const [isNew, setNew] = useState<'worker' | 'group' | null>(null);
  return (
    <Page
      title="Workers"
      description={
        isAdmin
          ? 'Machines that run skripts. Their free memory sets the number of slots.'
          : 'Machines that run skripts. To add one, ask an administrator for a worker key.'
      }
      actions={
        isAdmin && (
          <>
            <Button
              variant="default"
              leftSection={<IconStack2 size={16} aria-hidden />}
              onClick={() => setNew('group')}
            >
              New group
            </Button>
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew('worker')}>
              New worker
            </Button>
          </>
        )
      }
    >
      <WorkersTable isAdmin={isAdmin} onNew={() => setNew('worker')} />
      {isAdmin && <WorkerGroups />}
      {isNew === 'worker' && <WorkerModal worker={null} onClose={() => setNew(null)} />}
      {isNew === 'group' && <GroupModal group={null} onClose={() => setNew(null)} />}
    </Page>
  );
}
