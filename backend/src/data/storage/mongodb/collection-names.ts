const COLLECTION_NAME_CHARS = 120;
/** The collection of the rows that a skript's runs push is named with this prefix and the id of the skript. */
export const ROWS_PREFIX = 'dataset_';
/** The same for the items that rows with a key become, and for the changes of these items. */
export const ITEMS_PREFIX = 'items_';
export const CHANGES_PREFIX = 'changes_';
/** The same for the rows that replays of its runs push. */
export const REPLAY_PREFIX = 'replay_';
/** The same for the values of `kv`. */
export const KV_PREFIX = 'kv_';

/** Returns the name of the collection with the rows of a run. */
export const rowsCollection = ({ skript, replay_of }: { skript: { id: string }; replay_of: string | null }): string =>
  (replay_of === null ? ROWS_PREFIX : REPLAY_PREFIX) + skript.id;

/** Explains why MongoDB or Trawl refuses this collection name; null for a valid name. */
export function collectionNameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'A collection needs a name.';
  const shown = name.slice(0, COLLECTION_NAME_CHARS);
  if (name.length > COLLECTION_NAME_CHARS)
    return `The collection name ${shown}… is longer than ${COLLECTION_NAME_CHARS} characters.`;
  if (name.includes('$')) return `The collection name ${shown} must not contain a dollar sign ($).`;
  if (name.includes('\0')) return `The collection name ${shown} must not contain a NUL character.`;
  if (name.startsWith('system.'))
    return `The collection name ${shown} must not begin with system., which MongoDB reserves.`;
  if (name.startsWith('.') || name.endsWith('.'))
    return `The collection name ${shown} must not begin or end with a dot.`;
  return null;
}
