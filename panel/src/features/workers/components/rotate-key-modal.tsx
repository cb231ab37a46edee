import { Modal, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Worker, WorkerGroup } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { useRotateWorkerKey } from '../api/rotate-worker-key.js';
import { useRotateWorkerGroupKey } from '../api/worker-groups.js';
import { WorkerKeyModal } from './worker-key.js';

interface ReplaceKeyProps {
  name: string;
  isOfGroup: boolean;
  rotate: UseMutationResult<{ key: string }, Error, void>;
  onClose: () => void;
  children: ReactNode;
}

/** Asks for confirmation, because the old key stops working at once. Then shows the new key. */
function ReplaceKey({ name, isOfGroup, rotate, onClose, children }: ReplaceKeyProps) {
  if (rotate.data)
    return (
      <WorkerKeyModal
        title={`The new key of ${name}`}
        name={name}
        secret={rotate.data.key}
        isOfGroup={isOfGroup}
        onClose={onClose}
      />
    );
  return (
    <Modal opened onClose={onClose} title={`Replace the key of ${name}?`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm">{children}</Text>
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

export function RotateKeyModal({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  return (
    <ReplaceKey name={worker.name} isOfGroup={false} rotate={useRotateWorkerKey(worker.id)} onClose={onClose}>
      The old key stops working at once, and the worker loses its connection. Trawl declares its live runs (now{' '}
      {worker.runs}) lost unless it reconnects with the new key before its lease expires, by default after 12 seconds.
      Wait until the worker is idle if you can.
    </ReplaceKey>
  );
}

export function RotateGroupKeyModal({ group, onClose }: { group: WorkerGroup; onClose: () => void }) {
  return (
    <ReplaceKey name={group.name} isOfGroup rotate={useRotateWorkerGroupKey(group.id)} onClose={onClose}>
      The old key stops working at once, and all workers of the group (now {group.connected}) lose their connection.
      Trawl declares the live runs of a worker lost unless it reconnects with the new key before its lease expires, by
      default after 12 seconds. Wait until the workers are idle if you can.
    </ReplaceKey>
  );
}
