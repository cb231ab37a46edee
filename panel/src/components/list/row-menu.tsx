import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { inReadingOrder } from '../values/in-reading-order.js';

/** Menu of the actions on one row. */
export function RowMenu({ of, isBusy = false, children }: { of: string; isBusy?: boolean; children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" loading={isBusy} aria-label={`More for ${inReadingOrder(of)}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
