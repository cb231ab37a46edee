import { Alert, Button, Group, Modal, Text } from '@mantine/core';
import { messageOf } from '../../../api/api-error.js';
import type { Worker } from '../../../api/entities.js';
import { KEPT_ONLY } from '../../../components/shown-once.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useRotateWorkerKey } from '../api/rotate-worker-key.js';
import { WorkerKey } from './worker-key.js';

/** Asks first: the old key ends with the call. */
export function RotateKeyModal({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const rotate = useRotateWorkerKey(worker.id);
  if (rotate.data)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The new key of ${worker.name}`} {...KEPT_ONLY}>
        <WorkerKey secret={rotate.data.key} onKept={onClose} />
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Give ${worker.name} a new key?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">
        The old key ends at once, and the worker’s connection with it. Runs under way on it ({worker.runs} now) are lost
        unless it is back with the new key within 12 seconds, so restart it after its runs first.
      </Text>
      {rotate.isError && (
        <Alert role="alert" color="red" variant="light" mt="md" title="It has no new key">
          {messageOf(rotate.error)}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          Keep the old one
        </Button>
        <SteadyButton className="danger-button" loading={rotate.isPending} onClick={() => rotate.mutate()}>
          End the old key
        </SteadyButton>
      </Group>
    </Modal>
  );
}
