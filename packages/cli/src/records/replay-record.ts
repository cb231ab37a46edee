import { compareRows, type RowComparison, type RowDifference } from '@trawl/contracts';
import type { LocalWorker } from '@trawl/worker/local-worker';
import type { Context } from '../context.js';
import { Failure, Interrupted } from '../failure.js';
import { startLocally } from '../local-run/start-locally.js';
import { valuesFor } from '../skript-folder/default-values.js';
import { safeJson } from '../terminal/clean.js';
import type { SavedRecord } from './saved-records.js';

/** Differences that are printed. */
const MAX_SHOWN = 10;

export interface Replayed {
  comparison: RowComparison;
  /** Whether rows differ; or the output, if neither run has stored rows. */
  isDifferent: boolean;
}

/**
 * Runs the code of a folder against a record, without the network, and compares its rows with those of the recorded run.
 *
 * @throws {Failure} if the run fails
 */
export async function replayRecord(
  worker: LocalWorker,
  folder: string,
  { name, path, run: saved }: SavedRecord,
  context: Context,
): Promise<Replayed> {
  const { inputSecret } = await valuesFor(folder, {});
  const options = { replay: path, inputText: saved.input, ...(inputSecret !== undefined && { inputSecret }) };
  const { run, rows } = await startLocally(worker, folder, options, context);
  process.on('SIGINT', run.stop).on('SIGTERM', run.stop);
  const { action, output, error_code, error_stack } = await run.ended.finally(() => {
    process.off('SIGINT', run.stop).off('SIGTERM', run.stop);
  });
  if (action === 'stop') throw new Interrupted();
  if (action === 'error')
    throw new Failure(`${error_stack ?? ''}\nThe replay of ${name} failed with the code ${error_code}.`.trim());
  const now = await rows();
  const comparison = compareRows(saved.rows, now);
  const { changed, added, gone } = comparison;
  const hasRows = saved.rows.length + now.length > 0;
  const isOutputDifferent = JSON.stringify(saved.output) !== JSON.stringify(JSON.parse(output ?? 'null'));
  return { comparison, isDifferent: hasRows ? changed + added + gone > 0 : isOutputDifferent };
}

/** Describes a replay in a line, with the first differences below. */
export function describeReplay({ comparison, isDifferent }: Replayed): string {
  const { equal, changed, added, gone, items } = comparison;
  if (equal + changed + added + gone === 0) return isDifferent ? 'the output differs' : 'no rows, and the same output';
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
