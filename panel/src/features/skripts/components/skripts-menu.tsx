import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSkripts } from '../../../api/requests/list-skripts.js';
import { usePurgeSkripts } from '../api/purge-skripts.js';
import { confirmPurgeSkripts } from './confirm-purge-skripts.js';

/** Menu of actions on all skripts, below other items. */
export function SkriptsMenu({ children }: { children?: ReactNode }) {
  const total = useSkripts({ limit: 1 }).data?.total ?? 0;
  const purge = usePurgeSkripts();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} loading={purge.isPending} aria-label="More for all skripts">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Item color="red" disabled={total === 0} onClick={() => confirmPurgeSkripts(total, () => purge.mutate())}>
          Delete all skripts…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
