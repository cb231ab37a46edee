import { type Trawl, unwrap } from '@trawl/client';
import { type DefaultValues, defaultsAmong } from '../skript-folder/default-values.js';
import { listSecrets } from '../skript-folder/send-changes.js';

/** Finds the stored values that a run gets unless it is told otherwise, as in the panel. */
export async function storedValues(
  trawl: Trawl,
  skript_id: string,
): Promise<DefaultValues<{ id: string; name: string }>> {
  const query = { skript_id, limit: 1_000 };
  const inputs = (await unwrap(trawl.api.GET('/joint-api/inputs/list', { params: { query } }))).items;
  return defaultsAmong(inputs, await listSecrets(trawl, skript_id));
}
