import { Modal, Radio, Stack } from '@mantine/core';
import { RESTART_MODES, type RestartMode } from '@trawl/contracts';
import { useState } from 'react';
import type { Worker } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { useWorker } from '../api/get-worker.js';
import { useRestartWorker } from '../api/restart-worker.js';

const MODES: Record<RestartMode, { label: string; description: string }> = {
  drain: {
    label: 'When its runs have ended',
    description: 'It accepts no new runs, and restarts when its live runs have ended.',
  },
  stop: { label: 'At once', description: 'Its live runs end at once, and fail.' },
};

function runsWords(runs: number | null): string {
  if (runs === null) return 'Counting its live runs …';
  return `It has ${runs === 0 ? 'no live runs' : runs === 1 ? 'one live run' : `${runs} live runs`}`;
}

export function RestartModal({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const now = useWorker(worker.id);
  const restart = useRestartWorker(worker.id);
  const [mode, setMode] = useState<RestartMode>('drain');
  return (
    <Modal opened onClose={onClose} title={`Restart ${worker.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Radio.Group
        label={runsWords(now.isPending ? null : (now.data ?? worker).runs)}
        value={mode}
        onChange={value => setMode(value as RestartMode)}
      >
        <Stack gap="xs" mt={8}>
          {RESTART_MODES.map(value => (
            <Radio key={value} value={value} {...MODES[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <ModalActions
        request={restart}
        failure="The worker was not restarted"
        onCancel={onClose}
        className={mode === 'stop' ? 'danger-button' : undefined}
        onClick={() => restart.mutate(mode, { onSuccess: onClose })}
      >
        Restart
      </ModalActions>
    </Modal>
  );
}
