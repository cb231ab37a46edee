import { OneTimeSecret } from '../../../components/feedback/one-time-secret.js';

/** Shows a worker's new key and how to configure it. */
export function WorkerKey({ secret, onSaved }: { secret: string; onSaved: () => void }) {
  return (
    <OneTimeSecret label="Worker key" secret={secret} onSaved={onSaved}>
      Start the worker with this key as <code>TRAWL_WORKER_KEY</code>, and with <code>{window.location.origin}</code> as{' '}
      <code>TRAWL_URL</code>.
    </OneTimeSecret>
  );
}
