import { Code } from '@mantine/core';
import { OneTimeSecret } from '../../../components/feedback/one-time-secret.js';

/** The command that starts a worker process with this key. */
export const startCommand = (key: string): string =>
  `TRAWL_URL=${window.location.origin} \\\nTRAWL_WORKER_KEY=${key} \\\nnode worker/dist/main.js`;

interface WorkerKeyProps {
  secret: string;
  /** True for the key of a group, which any number of processes can use. */
  isOfGroup?: boolean;
  onSaved: () => void;
}

/** Shows the new key of a worker or a group, and how to configure it. */
export function WorkerKey({ secret, isOfGroup = false, onSaved }: WorkerKeyProps) {
  return (
    <OneTimeSecret label={isOfGroup ? 'Group key' : 'Worker key'} secret={secret} onSaved={onSaved}>
      {isOfGroup
        ? 'Start each worker with this command, in the folder of Trawl on its machine. Give each a data folder of its own:'
        : 'Start the worker with this command, in the folder of Trawl on its machine:'}
      <Code block mt="xs">
        {startCommand(secret)}
      </Code>
    </OneTimeSecret>
  );
}
