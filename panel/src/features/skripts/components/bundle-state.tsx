import type { Skript } from '../../../api/entities.js';
import { Status } from '../../../components/values/status.js';

/** Shows whether the skript's bundle was built from the files as they are saved now. */
export function BundleState({ skript }: { skript: Skript }) {
  if (!skript.stale) return <Status tone="ok" label="up to date" />;
  return <Status tone="warn" label={skript.bundle_hash ? 'stale' : 'not built'} hollow />;
}
