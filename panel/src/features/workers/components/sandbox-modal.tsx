import { Anchor, List, Modal, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { SandboxLayerName } from '@trawl/contracts';
import { useState } from 'react';
import type { Worker } from '../../../api/entities.js';

const LAYERS: Record<SandboxLayerName, string> = {
  own_user: 'A user of the machine for each run',
  namespaces: 'Processes, files and IPC of its own',
  syscalls: 'A filter of system calls',
  limits: 'Limits of memory, processes, files and disk',
  egress: 'No loopback, private or link-local address',
};

function summary({ sandbox }: Worker): string {
  return sandbox === 'full'
    ? 'All layers hold. It runs the code of every account that may use it.'
    : 'Layers are missing. It runs skripts of the accounts of the first start only.';
}

/** The level, and behind it the layers that it consists of. */
export function SandboxCell({ worker }: { worker: Worker }) {
  const [isOpen, setOpen] = useState(false);
  if (worker.sandbox === null) return '–';
  return (
    <>
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="start"
        aria-label={`Sandbox of ${worker.name}: ${worker.sandbox}`}
        onClick={() => setOpen(true)}
      >
        {worker.sandbox}
      </Anchor>
      {isOpen && (
        <Modal
          opened
          onClose={() => setOpen(false)}
          title={`Sandbox of ${worker.name}: ${worker.sandbox}`}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <Text size="sm">{summary(worker)}</Text>
          <List mt="md" spacing="sm" center={false} listStyleType="none">
            {worker.sandbox_layers.map(({ name, holds, note }) => (
              <List.Item
                key={name}
                icon={holds ? <IconCheck size={16} aria-label="holds" /> : <IconX size={16} aria-label="missing" />}
              >
                <Text size="sm" fw={holds ? undefined : 600}>
                  {LAYERS[name]}
                </Text>
                {note && (
                  <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {note}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
        </Modal>
      )}
    </>
  );
}
