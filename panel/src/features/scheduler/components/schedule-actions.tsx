import { ActionIcon, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { Schedule } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useDeleteSchedule } from '../api/delete-schedule.js';
import { useSwitchSchedule } from '../api/save-schedule.js';
import { useTriggerSchedule } from '../api/trigger-schedule.js';

interface ScheduleActionsProps {
  schedule: Schedule;
  size: 'compact-sm' | 'sm';
  onEdit: () => void;
  onRun: (executionId: string) => void;
  onDeleted?: () => void;
}

/** Buttons of one schedule: run now, change, pause or resume, delete. */
export function ScheduleActions({ schedule, size, onEdit, onRun, onDeleted }: ScheduleActionsProps) {
  const { id, name, enabled } = schedule;
  const trigger = useTriggerSchedule(onRun);
  const toggle = useSwitchSchedule();
  const remove = useDeleteSchedule();
  const askToDelete = () =>
    confirmDelete({
      title: `Delete the schedule ${name}?`,
      children:
        'This deletes the schedule with the record of its fires. Its runs stay, and those in progress continue. To keep the record, pause the schedule instead.',
      confirmLabel: 'Delete schedule',
      onConfirm: () => remove.mutate(id, { onSuccess: onDeleted }),
    });
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {size === 'sm' && !enabled && (
        <FocusableButton size={size} loading={toggle.isPending} onClick={() => toggle.mutate(schedule)}>
          Resume
        </FocusableButton>
      )}
      <FocusableButton
        size={size}
        variant="default"
        loading={trigger.isPending}
        onClick={() => trigger.mutate(id)}
        aria-label={`Run now: ${inReadingOrder(name)}`}
      >
        Run now
      </FocusableButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={size === 'sm' ? 36 : undefined}
            aria-label={`More for ${inReadingOrder(name)}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onEdit}>Change…</Menu.Item>
          <Menu.Item onClick={() => toggle.mutate(schedule)}>{enabled ? 'Pause' : 'Resume'}</Menu.Item>
          <Menu.Item color="red" onClick={askToDelete}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
