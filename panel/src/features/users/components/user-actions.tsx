import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import type { User } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/confirm-delete.js';
import { noticeFailed } from '../../../components/notices.js';
import { useDeleteUser } from '../api/delete-user.js';
import { useUpdateUser } from '../api/save-user.js';
import { ChangeUserModal } from './change-user-modal.js';

export function UserActions({ user }: { user: User }) {
  const [isChanging, setChanging] = useState(false);
  const update = useUpdateUser(user.id);
  const remove = useDeleteUser();
  const setDisabled = (disabled: boolean) =>
    update.mutate({ disabled }, { onError: error => noticeFailed(`${user.username} was not changed`, error) });
  const askToDisable = () =>
    confirmDelete({
      title: `Disable ${user.username}?`,
      children:
        'Its sessions end at once, and its API keys are worth nothing until it is enabled again. Nothing of it is deleted.',
      confirmLabel: 'Disable the account',
      onConfirm: () => setDisabled(true),
    });
  const askToDelete = () =>
    confirmDelete({
      title: `Delete ${user.username}?`,
      children:
        'All of it goes, for good: skripts, inputs, input secrets, executions, schedules, API keys, and its databases with their documents. To lock somebody out, disable the account instead.',
      confirmLabel: 'Delete the account',
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
          <Menu.Item color="red" onClick={askToDelete}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChanging && <ChangeUserModal user={user} onClose={() => setChanging(false)} />}
    </Group>
  );
}
