import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface ConfirmDeleteOptions {
  title: string;
  /** Explains which data the deletion removes. */
  children: ReactNode;
  confirmLabel: string;
  onConfirm: () => void;
}

export function confirmDelete({ title, children, confirmLabel, onConfirm }: ConfirmDeleteOptions): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {children}
      </Text>
    ),
    labels: { confirm: confirmLabel, cancel: 'Cancel' },
    confirmProps: { className: 'danger-button' },
    onConfirm,
  });
}
