import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Page } from '../components/page/page.js';
import { WorkerModal } from '../features/workers/components/worker-modal.js';
import { WorkersTable } from '../features/workers/components/workers-table.js';
import { useIsAdmin } from '../session/use-is-admin.js';

export default function WorkersRoute() {
  const isAdmin = useIsAdmin();
  const [isNew, setNew] = useState(false);
  return (
    <Page
      title="Workers"
      wide
      description="The machines that run skripts. Your skripts run only on workers with a sufficient sandbox."
      actions={
        isAdmin && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
            New worker
          </Button>
        )
      }
    >
      <WorkersTable isAdmin={isAdmin} onNew={() => setNew(true)} />
      {isNew && <WorkerModal worker={null} onClose={() => setNew(false)} />}
    </Page>
  );
}
