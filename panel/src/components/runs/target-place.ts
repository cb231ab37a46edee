import { useDatabases } from '../../api/requests/storage/list-databases.js';
import { tableOf, type WriteTarget } from './written-target.js';

/** Where the rows of a target are. */
export type Place =
  | { store: 'mongodb'; databaseId: string; collection: string }
  | { store: 'postgresql'; schema: string; table: string };

/** Parameters of an address that choose documents of a collection. */
export type Chosen = Partial<Record<'where' | 'filter', string>>;

/** Returns a function that finds where a target is: null if that is not known, or if its database is gone. */
export function usePlaces(targets: readonly WriteTarget[]) {
  // The oldest database is the one that a skript uses if it names none.
  const databases = useDatabases(
    { limit: 100, sort: 'created_at' },
    { isWanted: targets.some(({ store, name }) => store === 'mongodb' && name !== null) },
  );
  const known = databases.data?.items ?? [];
  const placeOf = ({ store, database, name }: WriteTarget): Place | null => {
    if (name === null) return null;
    if (store === 'postgresql') return { store, ...tableOf(name) };
    const found = database === null ? known[0] : known.find(one => one.name === database);
    return found ? { store, databaseId: found.id, collection: name } : null;
  };
  return { databases, placeOf };
}

const entries = (chosen: Chosen) => Object.entries(chosen).filter(([, value]) => value !== '');

/** Path of the page of a target, within the section Storage. */
export function storagePath(place: Place, chosen: Chosen = {}): string {
  if (place.store === 'postgresql')
    return `/tables/${encodeURIComponent(place.schema)}/${encodeURIComponent(place.table)}`;
  const query = new URLSearchParams(entries(chosen));
  return `/${place.databaseId}/${encodeURIComponent(place.collection)}${query.size > 0 ? `?${query}` : ''}`;
}

/** Path of the form that exports a target, within the section Exporters. */
export function exportPath(place: Place, chosen: Chosen = {}): string {
  const source: Record<string, string> =
    place.store === 'postgresql'
      ? { source: 'table', schema: place.schema, table: place.table }
      : { db_id: place.databaseId, collection: place.collection, ...Object.fromEntries(entries(chosen)) };
  return `/new?${new URLSearchParams(source)}`;
}
