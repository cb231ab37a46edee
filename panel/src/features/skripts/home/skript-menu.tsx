import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Skript } from '../../../api/entities.js';
import { lazyScreen } from '../../../components/lazy-screen.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useDownloadSkript } from '../api/download-skript.js';
import { useSkriptTab } from './skript-tabs.js';

const DuplicateModal = lazyScreen(() => import('./duplicate-modal.js'));

interface SkriptMenuProps {
  skript: Skript;
  executeHref: string;
  /** Item that exports what the runs stored. It loads what it needs when the menu opens. */
  exportItem: ReactNode;
  onDelete: () => void;
}

/** The actions of a skript besides Run. */
export function SkriptMenu({ skript, executeHref, exportItem, onDelete }: SkriptMenuProps) {
  const { hrefOf } = useSkriptTab();
  const [isDuplicating, setDuplicating] = useState(false);
  const download = useDownloadSkript();
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            loading={download.isPending}
            aria-label={`More for ${inReadingOrder(skript.title)}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={executeHref}>
            Run with other input…
          </Menu.Item>
          <Menu.Item component={Link} to={`${hrefOf('schedules')}&new=1`}>
            New schedule…
          </Menu.Item>
          <Menu.Item component={Link} to={`${hrefOf('alerts')}&new=1`}>
            New webhook…
          </Menu.Item>
          {exportItem}
          <Menu.Item onClick={() => setDuplicating(true)}>Duplicate…</Menu.Item>
          <Menu.Item onClick={() => download.mutate(skript)}>Download</Menu.Item>
          <Menu.Item color="red" onClick={onDelete}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isDuplicating && (
        <Suspense>
          <DuplicateModal skript={skript} onClose={() => setDuplicating(false)} />
        </Suspense>
      )}
    </>
  );
}
