import { ShownOnce } from '../../../components/shown-once.js';

/** A worker's new key, with how its program takes it. */
export function WorkerKey({ secret, onKept }: { secret: string; onKept: () => void }) {
  return (
    <ShownOnce label="Worker key" secret={secret} onKept={onKept}>
      The worker’s program takes it as <code>TRAWL_WORKER_KEY</code>, and this platform’s address,{' '}
      <code>{window.location.origin}</code>, as <code>TRAWL_URL</code>.
    </ShownOnce>
  );
}
