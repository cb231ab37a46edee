import { Alert, Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { RESTART_MODES, type RestartMode } from '@trawl/contracts';
import { useState } from 'react';
import { messageOf } from '../../../api/api-error.js';
import type { Worker } from '../../../api/entities.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useRestartWorker } from '../api/restart-worker.js';

const MODES: Record<RestartMode, { label: string; description: string }> = {
  drain: {
    label: 'After its runs',
    description: 'It takes no more runs, and restarts when those under way have ended.',
  },
  stop: { label: 'At once', description: 'Runs under way end with the error worker_restarted.' },
};

export function RestartModal({ worker, onClose }: { worker: Worker; onClose: () => void }) {
  const restart = useRestartWorker(worker.id);
  const [mode, setMode] = useState<RestartMode>('drain');
  return (
    <Modal opened onClose={onClose} title={`Restart ${worker.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Radio.Group
        label={`It has ${worker.runs === 1 ? 'one run' : `${worker.runs} runs`} under way`}
        value={mode}
        onChange={value => setMode(value as RestartMode)}
      >
        <Stack gap="xs" mt={8}>
          {RESTART_MODES.map(value => (
            <Radio key={value} value={value} {...MODES[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {restart.isError && (
        <Alert role="alert" color="red" variant="light" mt="md" title="It was not told to restart">
          {messageOf(restart.error)}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SteadyButton
          className={mode === 'stop' ? 'danger-button' : undefined}
          loading={restart.isPending}
          onClick={() => restart.mutate(mode, { onSuccess: onClose })}
        >
          Restart
        </SteadyButton>
      </Group>
    </Modal>
  );
}
