import {
  compareRows,
  type OnMiss,
  type RowComparison,
  type RowDifference,
  type RunTimes,
  runTime,
} from '@trawl/contracts';
import type { LocalWorker } from '@trawl/worker/local-worker';
import type { Context } from '../context.js';
import { Failure, Interrupted } from '../failure.js';
import type { RowsByTarget } from '../local-run/inserted-rows.js';
import { startLocally } from '../local-run/start-locally.js';
import { valuesFor } from '../skript-folder/default-values.js';
import { safeJson } from '../terminal/clean.js';
import type { SavedRecord } from './saved-records.js';

/** Differences that are printed. */
const MAX_SHOWN = 10;

export interface Replayed {
  /** The rows of `dataset.push`. */
  comparison: RowComparison;
  /** The rows of `mongo` and `postgres.insertMany` by collection and table; null if the rows of the run are not all known. */
  inserted: Record<string, RowComparison | null>;
  /** Whether rows differ; or the output, if neither run has stored rows. */
  isDifferent: boolean;
}

/**
 * Runs the code of a folder against a record, without the network unless `onMiss` asks for it, and compares its rows with those of the recorded run.
 *
 * @throws {Failure} if the run fails
 */
export async function replayRecord(
  worker: LocalWorker,
  folder: string,
  { name, path, run: saved, onMiss = 'fail' }: SavedRecord & { onMiss?: OnMiss },
  context: Context,
): Promise<Replayed> {
  const { inputSecret } = await valuesFor(folder, {});
  const options = {
    replay: { path, onMiss },
    inputText: saved.input,
    ...(inputSecret !== undefined && { inputSecret }),
  };
  const { run, rows } = await startLocally(worker, folder, options, context);
  process.on('SIGINT', run.stop).on('SIGTERM', run.stop);
  const { action, output, error_code, error_stack } = await run.ended.finally(() => {
    process.off('SIGINT', run.stop).off('SIGTERM', run.stop);
  });
  if (action === 'stop') throw new Interrupted();
  if (action === 'error')
    throw new Failure(`${error_stack ?? ''}\nThe replay of ${name} failed with the code ${error_code}.`.trim());
  const now = await rows();
  const { started_at = null, ended_at = null } = saved;
  const times = started_at && ended_at ? { was: runTime({ started_at, ended_at }), now: runTime(now) } : undefined;
  const comparison = compareRows(saved.rows, now.rows, times);
  const inserted = saved.inserted ? compareTargets(saved.inserted, now.inserted, times) : {};
  const all = [comparison, ...Object.values(inserted)];
  const isOutputDifferent = JSON.stringify(saved.output) !== JSON.stringify(JSON.parse(output ?? 'null'));
  return {
    comparison,
    inserted,
    isDifferent: all.some(hasRows) ? all.some(one => one !== null && differences(one) > 0) : isOutputDifferent,
  };
}

type TargetRows = Map<string, RowsByTarget[string]>;

/** Compares the rows of each collection and table that one of two runs has sent rows to. */
function compareTargets(was: RowsByTarget, now: RowsByTarget, times?: RunTimes): Replayed['inserted'] {
  const [before, after] = [was, now].map(rows => new Map(Object.entries(rows))) as [TargetRows, TargetRows];
  const targets = [...new Set([...before.keys(), ...after.keys()])];
  return Object.fromEntries(
    targets.map(target => {
      const rows = before.has(target) ? before.get(target) : [];
      return [target, rows ? compareRows(rows, after.get(target) ?? [], times) : null];
    }),
  );
}

const differences = ({ changed, added, gone }: RowComparison): number => changed + added + gone;

/** Says whether a run has stored rows. */
const hasRows = (one: RowComparison | null): boolean => one === null || one.equal + differences(one) > 0;

/** Describes a replay in a line for each place with rows, with the first differences below. */
export function describeReplay({ comparison, inserted, isDifferent }: Replayed): string {
  const targets = Object.entries(inserted).map(([target, one]) =>
    one === null
      ? `${target}: not compared, because the platform has not kept all rows of the run`
      : `${target}: ${describeRows(one)}`,
  );
  if (hasRows(comparison)) return [describeRows(comparison), ...targets].join('\n');
  if (targets.length > 0) return targets.join('\n');
  return isDifferent ? 'the output differs' : 'no rows, and the same output';
}

function describeRows({ equal, changed, added, gone, items }: RowComparison): string {
  const counts = `${equal} rows equal, ${changed} changed, ${added} added, ${gone} gone`;
  return [counts, ...items.slice(0, MAX_SHOWN).map(lineOf)].join('\n');
}

function lineOf({ kind, key, fields, row }: RowDifference): string {
  const name = key ?? safeJson(row).slice(0, 200);
  const changes = Object.entries(fields ?? {}).map(
    ([field, { was, now }]) => `${field}: ${safeJson(was)} → ${safeJson(now)}`,
  );
  return `  ${kind} ${name}${changes.length > 0 ? `  ${changes.join(', ')}` : ''}`;
}
