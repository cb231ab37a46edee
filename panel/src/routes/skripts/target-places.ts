import type { WrittenTarget } from '../../api/entities.js';
import { useDatabases } from '../../api/requests/storage/list-databases.js';
import { tableOf } from '../../components/runs/written-target.js';

/** Where a target is. */
export type Place =
  | { kind: 'collection'; databaseId: string; collection: string }
  | { kind: 'table'; schema: string; table: string };

/** Returns a function that finds where a target is; null if it has no name, or if its database is gone. */
export function usePlaces(targets: readonly WrittenTarget[]): (target: WrittenTarget) => Place | null {
  const isMongo = targets.some(({ store }) => store === 'mongodb');
  // The oldest database is the one that a skript uses if it names none.
  const databases = useDatabases({ limit: 100, sort: 'created_at' }, { isWanted: isMongo }).data?.items ?? [];
  return ({ store, database, name }) => {
    if (name === null) return null;
    if (store === 'postgresql') return { kind: 'table', ...tableOf(name) };
    const found = database === null ? databases[0] : databases.find(one => one.name === database);
    return found ? { kind: 'collection', databaseId: found.id, collection: name } : null;
  };
}

/** Path of the page of a target, within the section Storage. */
export const storagePath = (place: Place): string =>
  place.kind === 'table'
    ? `/tables/${encodeURIComponent(place.schema)}/${encodeURIComponent(place.table)}`
    : `/${place.databaseId}/${encodeURIComponent(place.collection)}`;

/** Path of the form that exports a target, within the section Exporters. `filter` reads the filter in the address. */
export function exportPath(place: Place, filter: (name: string) => string = () => ''): string {
  if (place.kind === 'table') {
    const { schema, table } = place;
    return `/new?${new URLSearchParams({ source: 'table', schema, table })}`;
  }
  const params = new URLSearchParams({ db_id: place.databaseId, collection: place.collection });
  for (const name of ['where', 'filter']) if (filter(name) !== '') params.set(name, filter(name));
  return `/new?${params}`;
}
