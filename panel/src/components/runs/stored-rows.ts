import type { Execution } from '../../api/entities.js';
import { isDataset, isKeyValueStore, targetKey } from './written-target.js';

export type RunWrite = NonNullable<Execution['writes']>[number];

type Written = Pick<Execution, 'rows' | 'skript' | 'writes'>;

/** The writes of a run, by key. The map has the dataset even before the worker of the run has reported what it wrote. */
export function writesOf({ rows, skript, writes }: Written): Map<string, RunWrite> {
  const all = new Map((writes ?? []).map(write => [targetKey(write), write]));
  const target = { store: 'mongodb', database: null, name: `dataset_${skript.id}` } as const;
  const key = targetKey(target);
  if (all.has(key) || rows === 0) return all;
  return new Map([[key, { ...target, inserted: rows, updated: 0, deleted: 0 }], ...all]);
}

/** Number of rows that a run has stored in a collection or table. */
export function rowsIn(write: RunWrite, { rows, skript }: Written): number {
  // The number of rows of the dataset is more recent. A row that replaces another one with the same key is an update, but
  // no further row.
  return (isDataset(write, skript.id) && rows) || write.inserted + write.updated;
}

/** Number of rows that a run has stored in all places. Values of its key-value store do not count. */
export const storedRows = (run: Written): number =>
  [...writesOf(run).values()]
    .filter(write => !isKeyValueStore(write, run.skript.id))
    .reduce((sum, write) => sum + rowsIn(write, run), 0);
