import { Code } from '@mantine/core';
import { OneTimeSecret } from '../../../components/feedback/one-time-secret.js';

/** Shows a worker's new key and how to configure it. */
export function WorkerKey({ secret, onSaved }: { secret: string; onSaved: () => void }) {
  return (
    <OneTimeSecret label="Worker key" secret={secret} onSaved={onSaved}>
      Start the worker with this command, in the folder of Trawl on its machine:
      <Code
        block
        mt="xs"
      >{`TRAWL_URL=${window.location.origin} \\\nTRAWL_WORKER_KEY=${secret} \\\nnode worker/dist/main.js`}</Code>
    </OneTimeSecret>
  );
}
