import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import type { User } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { useDeleteUser } from '../api/delete-user.js';
import { useUpdateUser } from '../api/save-user.js';
import { ChangeUserModal } from './change-user-modal.js';

export function UserActions({ user }: { user: User }) {
  const [isChanging, setChanging] = useState(false);
  const update = useUpdateUser(user.id);
  const remove = useDeleteUser();
  const setDisabled = (disabled: boolean) =>
    update.mutate({ disabled }, { onError: error => notifyError(`${user.username} was not changed`, error) });
  const askToDisable = () =>
    confirmDelete({
      title: `Disable ${user.username}?`,
      children: 'Its sessions end at once, and its API keys do not work until you enable it again. No data is deleted.',
      confirmLabel: 'Disable account',
      onConfirm: () => setDisabled(true),
    });
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete ${user.username}?`,
      children:
        'This permanently deletes the account with its skripts, inputs, input secrets, runs, schedules, API keys and databases. To only lock the user out, disable the account instead.',
      confirmLabel: 'Delete account',
      typed: user.username,
      onConfirm: () => remove.mutate(user.id),
    });
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setChanging(true)}
        aria-label={`Change ${user.username}`}
      >
        Change
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${user.username}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {user.disabled ? (
            <Menu.Item onClick={() => setDisabled(false)}>Enable</Menu.Item>
          ) : (
            <Menu.Item onClick={askToDisable}>Disable…</Menu.Item>
          )}
          <Menu.Item color="red" onClick={confirmDeletion}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChanging && <ChangeUserModal user={user} onClose={() => setChanging(false)} />}
    </Group>
  );
}
