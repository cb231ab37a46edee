import type { Execution, MongoDatabase } from '../../api/entities.js';
import { tableOf } from '../../components/runs/written-target.js';
import type { RowsSource } from '../../features/skript-executions/api/download-rows.js';
import { madeDuring, type RunTarget } from '../../features/skript-executions/run-targets.js';

/** Where the rows of a target are. Null if that is not known, or if the database is gone. */
export type TargetPlace =
  | { store: 'mongodb'; databaseId: string; collection: string; filter: string }
  | { store: 'postgresql'; schema: string; table: string }
  | null;

/**
 * @param databases the account's databases, the oldest first: it is the one that a skript uses if it names none
 */
export function placeOfTarget(run: Execution, target: RunTarget, databases: readonly MongoDatabase[]): TargetPlace {
  const { store, database, name, kind, inserted } = target;
  if (name === null) return null;
  if (store === 'postgresql') return { store, ...tableOf(name) };
  const found = database === null ? databases[0] : databases.find(one => one.name === database);
  if (!found) return null;
  const filter =
    kind === 'dataset'
      ? JSON.stringify({ _run: run.id })
      : // Nothing in a document tells which run has updated it.
        (kind === 'collection' && inserted > 0 && madeDuring(run)) || '';
  return { store, databaseId: found.id, collection: name, filter };
}

/** Path of a target's page in the section Storage. */
export const storagePath = (place: NonNullable<TargetPlace>): string =>
  place.store === 'mongodb'
    ? `/${place.databaseId}/${encodeURIComponent(place.collection)}${place.filter && `?${new URLSearchParams({ filter: place.filter })}`}`
    : `/tables/${encodeURIComponent(place.schema)}/${encodeURIComponent(place.table)}`;

/** Path of the form that exports a target in other formats and to other places. */
export function exportPath(run: Execution, { kind }: RunTarget, place: NonNullable<TargetPlace>): string {
  if (kind === 'dataset') return `/new?${new URLSearchParams({ source: 'run', execution_id: run.id })}`;
  const source: Record<string, string> =
    place.store === 'mongodb'
      ? { db_id: place.databaseId, collection: place.collection, ...(place.filter && { filter: place.filter }) }
      : { source: 'table', schema: place.schema, table: place.table };
  return `/new?${new URLSearchParams(source)}`;
}

/** The rows of a target, to download them. Null if Trawl does not know where they are. */
export function sourceOfTarget(run: Execution, target: RunTarget, place: TargetPlace): RowsSource | null {
  if (target.kind === 'dataset') return { of: 'run', executionId: run.id };
  if (!place) return null;
  const filename = `${(target.name ?? '').replaceAll(/[^\w.-]+/g, '-')}-${run.id}.csv`;
  return place.store === 'mongodb' ? { of: 'collection', ...place, filename } : { of: 'table', ...place, filename };
}
