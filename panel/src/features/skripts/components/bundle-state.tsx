import type { Skript } from '../../../api/entities.js';
import { Status } from '../../../components/status.js';

/** Whether the bundle is made of the files as they are now. */
export function BundleState({ skript }: { skript: Skript }) {
  if (!skript.stale) return <Status tone="ok" label="up to date" />;
  return <Status tone="warn" label={skript.bundle_hash ? 'stale' : 'not built'} hollow />;
}
