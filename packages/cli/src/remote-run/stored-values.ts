import { type Trawl, unwrap } from '@trawl/client';
import { listSecrets } from '../skript-folder/send-changes.js';

const DEFAULT_INPUT = 'input.json';
const DEFAULT_SECRET = 'inputSecret.json';

interface StoredValue {
  id: string;
  name: string;
}

/** Finds the stored values that a run gets unless it is told otherwise: those with the usual names, as in the panel. */
export async function storedValues(
  trawl: Trawl,
  skript_id: string,
): Promise<{ input?: StoredValue; inputSecret?: StoredValue }> {
  const query = { skript_id, limit: 1_000 };
  const inputs = (await unwrap(trawl.api.GET('/joint-api/inputs/list', { params: { query } }))).items;
  return {
    input: usual(inputs, DEFAULT_INPUT),
    inputSecret: usual(await listSecrets(trawl, skript_id), DEFAULT_SECRET),
  };
}

/** Returns the value with the default name, or else the only one. */
function usual(items: readonly StoredValue[], name: string): StoredValue | undefined {
  return items.find(item => item.name === name) ?? (items.length === 1 ? items[0] : undefined);
}
