import type { Execution } from '../../api/entities.js';
import { isDataset, isKeyValueStore, targetName, targetPlace } from '../../components/runs/written-target.js';

export type RunWrite = NonNullable<Execution['writes']>[number];

/** A collection or table that a run, or the good run before it, has written to. */
export interface RunTarget extends RunWrite {
  key: string;
  kind: 'dataset' | 'values' | 'collection' | 'table' | 'unknown';
  label: string;
  /** Such as `MongoDB, prices`. */
  place: string;
  /** Number of rows or documents that the run has inserted or updated. */
  stored: number;
  /** `stored` less that of the last good run; null without such a run. */
  difference: number | null;
}

const NOTHING = { inserted: 0, updated: 0, deleted: 0 };

const keyOf = ({ store, database, name }: RunWrite): string => JSON.stringify([store, database, name]);

function kindOf(write: RunWrite, skriptId: string): RunTarget['kind'] {
  if (write.name === null) return 'unknown';
  if (write.store === 'postgresql') return 'table';
  if (isDataset(write, skriptId)) return 'dataset';
  return isKeyValueStore(write, skriptId) ? 'values' : 'collection';
}

/** What a run has written, by key. The number of rows of its dataset is more recent than the other numbers. */
function writesOf(run: Execution): Map<string, RunWrite> {
  const writes = new Map((run.writes ?? []).map(write => [keyOf(write), write]));
  const dataset = { store: 'mongodb', database: null, name: `dataset_${run.skript.id}`, ...NOTHING } as const;
  const key = keyOf(dataset);
  const known = writes.get(key);
  if (!known && run.rows > 0) return new Map([[key, { ...dataset, inserted: run.rows }], ...writes]);
  return writes;
}

/**
 * Returns where a run has stored data: first its dataset, then collections and tables, then the key-value store. A
 * target that only the last good run has written to is there, too.
 */
export function runTargets(run: Execution, lastGood: Execution | null): RunTarget[] {
  const own = writesOf(run);
  const before = lastGood && writesOf(lastGood);
  const all = new Map([...(before ?? []), ...own]);
  const targets = [...all].map(([key, { store, database, name }]) => {
    const write: RunWrite = own.get(key) ?? { store, database, name, ...NOTHING };
    const kind = kindOf(write, run.skript.id);
    const countOf = (of: Execution | null, counted: RunWrite | undefined) =>
      // A row that replaces another one with the same key is an update, but no further row.
      (kind === 'dataset' && of?.rows) || (counted ? counted.inserted + counted.updated : 0);
    const stored = countOf(run, write);
    return {
      ...write,
      key,
      kind,
      label: targetName(write, run.skript.id),
      place: targetPlace(write),
      stored,
      difference: before ? stored - countOf(lastGood, before.get(key)) : null,
    };
  });
  const rank = ({ kind }: RunTarget) => (kind === 'dataset' ? 0 : kind === 'values' ? 2 : 1);
  return targets.sort((one, other) => rank(one) - rank(other));
}

/** Returns the number of rows that a run has stored in all targets, without the values that it keeps for later runs. */
export function storedRows(targets: readonly RunTarget[]): { stored: number; difference: number | null } {
  const rows = targets.filter(({ kind }) => kind !== 'values');
  const isCompared = rows.length > 0 && rows.every(({ difference }) => difference !== null);
  return {
    stored: rows.reduce((sum, { stored }) => sum + stored, 0),
    difference: isCompared ? rows.reduce((sum, { difference }) => sum + (difference ?? 0), 0) : null,
  };
}

/** Formats a difference, such as `+12`, `−3` or `±0`. */
export const differenceText = (difference: number): string =>
  difference === 0 ? '±0' : `${difference > 0 ? '+' : '−'}${Math.abs(difference).toLocaleString('en-GB')}`;

/**
 * Returns the MongoDB filter for the documents of a collection that were made while a run ran, by the time in their
 * `_id`, as Extended JSON. Null before the start of the run.
 */
export function madeDuring({ started_at: from, ended_at: to }: Pick<Execution, 'started_at' | 'ended_at'>) {
  if (from === null) return null;
  const until = to === null ? {} : { $lt: idAt(Math.floor(Date.parse(to) / 1_000) + 1) };
  return JSON.stringify({ _id: { $gte: idAt(Math.floor(Date.parse(from) / 1_000)), ...until } });
}

const idAt = (seconds: number) => ({ $oid: seconds.toString(16).padStart(8, '0').padEnd(24, '0') });
