import { isLive } from '@trawl/contracts';
import type { Execution } from '../../api/entities.js';
import { type RunWrite, rowsIn, storedRows, writesOf } from '../../components/runs/stored-rows.js';
import { isDataset, isKeyValueStore, targetName, targetPlace } from '../../components/runs/written-target.js';

/** A collection or table that a run, or the good run before it, has written to. */
export interface RunTarget extends RunWrite {
  key: string;
  kind: 'dataset' | 'values' | 'collection' | 'table' | 'unknown';
  label: string;
  /** Such as `MongoDB, prices`. */
  place: string;
  /** Number of rows or documents that the run has inserted or updated. */
  stored: number;
  /** The same number of the last good run; null without such a run. */
  before: number | null;
  /** `stored` less `before`; null while the run may store more. */
  difference: number | null;
}

const NOTHING = { inserted: 0, updated: 0, deleted: 0 };

function kindOf(write: RunWrite, skriptId: string): RunTarget['kind'] {
  if (write.name === null) return 'unknown';
  if (write.store === 'postgresql') return 'table';
  if (isDataset(write, skriptId)) return 'dataset';
  return isKeyValueStore(write, skriptId) ? 'values' : 'collection';
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
    const stored = rowsIn(write, run);
    const earlier = before?.get(key);
    const storedBefore = lastGood && (earlier ? rowsIn(earlier, lastGood) : 0);
    return {
      ...write,
      key,
      kind: kindOf(write, run.skript.id),
      label: targetName(write, run.skript.id),
      place: targetPlace(write),
      stored,
      before: storedBefore,
      difference: storedBefore === null || isLive(run.action) ? null : stored - storedBefore,
    };
  });
  const rank = ({ kind }: RunTarget) => (kind === 'dataset' ? 0 : kind === 'values' ? 2 : 1);
  return targets.sort((one, other) => rank(one) - rank(other));
}

/** Returns how many rows more or fewer a run has stored than the last good run; null while it may store more, and if neither has rows. */
export function rowsDifference(run: Execution, lastGood: Execution | null): number | null {
  if (!lastGood || isLive(run.action)) return null;
  const [stored, before] = [storedRows(run), storedRows(lastGood)];
  return stored + before === 0 ? null : stored - before;
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
