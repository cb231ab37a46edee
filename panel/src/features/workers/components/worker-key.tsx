import { Box, Modal, Text } from '@mantine/core';
import { NO_ACCIDENTAL_CLOSE, OneTimeSecret } from '../../../components/feedback/one-time-secret.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';

const isHttps = (): boolean => window.location.protocol === 'https:';
const httpPort = (): string => window.location.port || '80';

/** The platform's address for a worker. A worker refuses plain http except to its own machine. */
const platformUrl = (): string => (isHttps() ? window.location.origin : `http://127.0.0.1:${httpPort()}`);

/**
 * The command that starts a worker process with this key. Processes on one machine need data folders of their own.
 *
 * @param name of the worker
 */
export const startCommand = (key: string, name: string): string =>
  [
    `TRAWL_URL=${platformUrl()}`,
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
        {!isHttps() && (
          <>
            <Text size="sm" mt="sm">
              Trawl has no https address here. A worker on another machine needs one, or this tunnel, which you start
              there first:
            </Text>
            <Box mt="xs">
              <CopyableCode
                title="Tunnel"
                code={`ssh -N -L ${httpPort()}:127.0.0.1:${httpPort()} you@${window.location.hostname}`}
              />
            </Box>
          </>
        )}
      </OneTimeSecret>
    </Modal>
  );
}
