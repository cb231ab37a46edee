import { Modal, Text } from '@mantine/core';
import type { WorkerGroup } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE } from '../../../components/feedback/one-time-secret.js';
import { useRotateWorkerGroupKey } from '../api/worker-groups.js';
import { WorkerKey } from './worker-key.js';

/** Asks for confirmation, because the old key stops working at once. */
export function RotateGroupKeyModal({ group, onClose }: { group: WorkerGroup; onClose: () => void }) {
  const rotate = useRotateWorkerGroupKey(group.id);
  if (rotate.data)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The new key of ${group.name}`} {...NO_ACCIDENTAL_CLOSE}>
        <WorkerKey secret={rotate.data.key} isOfGroup onSaved={onClose} />
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Replace the key of ${group.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">
        The old key stops working at once, and all workers of the group (now {group.connected}) lose their connection.
        Trawl declares the live runs of a worker lost unless it reconnects with the new key before its lease expires, by
        default after 12 seconds. Wait until the workers are idle if you can.
      </Text>
      <ModalActions
        request={rotate}
        failure="The key was not replaced"
        onCancel={onClose}
        className="danger-button"
        onClick={() => rotate.mutate()}
      >
        Replace key
      </ModalActions>
    </Modal>
  );
}
