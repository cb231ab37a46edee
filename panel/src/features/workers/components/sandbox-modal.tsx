import { Anchor, List, Modal, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { SandboxLayerName } from '@trawl/contracts';
import { useState } from 'react';
import type { Worker } from '../../../api/entities.js';

const LAYERS: Record<SandboxLayerName, string> = {
  own_user: 'A separate system user for each run',
  namespaces: 'Isolated processes, files and IPC',
  syscalls: 'System call filter',
  limits: 'Limits on memory, processes, files and disk',
  egress: 'No access to loopback, private or link-local addresses',
};

function summary({ sandbox }: Worker): string {
  return sandbox === 'full'
    ? 'All layers are active. It runs skripts of every account that can use it.'
    : 'Some layers are missing. It runs only skripts of the accounts that the first start created.';
}

/** Shows the worker's sandbox level. A click opens a modal with its layers. */
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
                icon={holds ? <IconCheck size={16} aria-label="active" /> : <IconX size={16} aria-label="missing" />}
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
