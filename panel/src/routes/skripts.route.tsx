import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { Page } from '../components/page.js';
import { usePanelPath } from '../components/panel-path.js';
import { NewSkriptModal } from '../features/skripts/components/new-skript-modal.js';
import { SkriptsTable } from '../features/skripts/components/skripts-table.js';

export default function SkriptsRoute() {
  const path = usePanelPath();
  const [params, setParams] = useSearchParams();
  const setNew = (isNew: boolean) =>
    setParams(
      current => {
        const next = new URLSearchParams(current);
        if (isNew) next.set('new', '1');
        else next.delete('new');
        return next;
      },
      { replace: true },
    );
  return (
    <Page
      title="Skripts"
      description="The JavaScript that your workers run."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
          New skript
        </Button>
      }
    >
      <SkriptsTable executeHref={id => path('execute-skript', `?skript_id=${id}`)} onNew={() => setNew(true)} />
      <NewSkriptModal
        opened={params.has('new')}
        onClose={() => setNew(false)}
        editorHref={id => path('skripts', `/${id}`)}
      />
    </Page>
  );
}
