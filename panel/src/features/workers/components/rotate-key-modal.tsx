import { Modal, Text } from '@mantine/core';
import type { Worker } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE } from '../../../components/feedback/one-time-secret.js';
import { useRotateWorkerKey } from '../api/rotate-worker-key.js';
import { WorkerKey } from './worker-key.js';

/** Asks for confirmation, because the old key stops working at once. */
export function RotateKeyModal({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const rotate = useRotateWorkerKey(worker.id);
  if (rotate.data)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The new key of ${worker.name}`} {...NO_ACCIDENTAL_CLOSE}>
        <WorkerKey secret={rotate.data.key} onSaved={onClose} />
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Replace the key of ${worker.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">
        The old key stops working at once, and the worker loses its connection. Trawl declares its live runs (now{' '}
        {worker.runs}) lost unless it reconnects with the new key before its lease expires, by default after 12 seconds.
        Wait until the worker is idle if you can.
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
