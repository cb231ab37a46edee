import { Box, Modal } from '@mantine/core';
import { NO_ACCIDENTAL_CLOSE, OneTimeSecret } from '../../../components/feedback/one-time-secret.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';

/**
 * The command that starts a worker process with this key. Processes on one machine need data folders of their own.
 *
 * @param name of the worker
 */
export const startCommand = (key: string, name: string): string =>
  [
    `TRAWL_URL=${window.location.origin}`,
    `TRAWL_WORKER_KEY=${key}`,
    `TRAWL_DATA_DIR=.trawl-${name}`,
    'node worker/dist/main.js',
  ].join(' \\\n');

/** The command for the first worker of a group. */
export const groupStartCommand = (key: string, group: string): string => startCommand(key, `${group}-1`);

interface WorkerKeyModalProps {
  title: string;
  /** Name of the worker or group. */
  name: string;
  secret: string;
  /** True for the key of a group, which any number of processes can use. */
  isOfGroup: boolean;
  onClose: () => void;
}

/** Shows the new key of a worker or a group until the user has saved it, and how to start a worker with it. */
export function WorkerKeyModal({ title, name, secret, isOfGroup, onClose }: WorkerKeyModalProps) {
  return (
    <Modal opened onClose={onClose} size="lg" title={title} {...NO_ACCIDENTAL_CLOSE}>
      <OneTimeSecret label={isOfGroup ? 'Group key' : 'Worker key'} secret={secret} onSaved={onClose}>
        {isOfGroup
          ? 'Start each worker with this command, in the folder of Trawl on its machine. Several workers on one machine need a TRAWL_DATA_DIR each:'
          : 'Start the worker with this command, in the folder of Trawl on its machine:'}
        <Box mt="xs">
          <CopyableCode
            title="Start command"
            code={isOfGroup ? groupStartCommand(secret, name) : startCommand(secret, name)}
          />
        </Box>
      </OneTimeSecret>
    </Modal>
  );
}
