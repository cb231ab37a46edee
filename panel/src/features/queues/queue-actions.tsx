import { Button, Group, Menu } from '@mantine/core';
import { countText } from '@trawl/contracts';
import type { Queue } from '../../api/entities.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { useDeleteQueue, useEmptyQueue, useRetryFailed } from './queues.js';

interface QueueActionsProps {
  queue: Queue;
  size: 'sm' | 'compact-sm';
  onDeleted?: () => void;
}

/** Buttons that put the failed requests of a queue back, empty it and delete it. */
export function QueueActions({ queue, size, onDeleted }: QueueActionsProps) {
  const retry = useRetryFailed();
  const empty = useEmptyQueue();
  const remove = useDeleteQueue();
  const { name, waiting, taken, done, failed } = queue;
  const requests = waiting + taken + done + failed;
  const allGo = `All of its ${countText(requests, 'request')} go, those that are done included.`;
  const askToEmpty = () =>
    confirmDelete({
      title: `Empty ${name}?`,
      children: `${allGo} Runs that add requests visit pages that were done again.`,
      confirmLabel: 'Empty queue',
      onConfirm: () => empty.mutate(queue),
    });
  const askToDelete = () =>
    confirmDelete({
      title: `Delete ${name}?`,
      children: `${allGo} A run that adds requests begins an empty queue, and visits pages that were done again.`,
      confirmLabel: 'Delete queue',
      onConfirm: () => remove.mutate(queue, { onSuccess: onDeleted }),
    });
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      {failed > 0 && (
        <Button
          size={size}
          variant="default"
          loading={retry.isPending}
          onClick={() => retry.mutate(queue)}
          aria-label={`Retry failed requests of ${name}`}
        >
          Retry failed
        </Button>
      )}
      <RowMenu of={name} isBusy={empty.isPending || remove.isPending}>
        <Menu.Item disabled={requests === 0} onClick={askToEmpty}>
          Empty…
        </Menu.Item>
        <Menu.Item color="red" onClick={askToDelete}>
          Delete…
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}
