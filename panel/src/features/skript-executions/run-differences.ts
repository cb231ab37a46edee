import type { Execution } from '../../api/entities.js';
import { durationMs } from '../../components/runs/duration-ms.js';
import { durationText } from '../../components/values/duration-text.js';
import { ACTION_LABELS } from '../../components/values/status.js';
import { versionText } from '../../components/values/version-text.js';

/** One line of a comparison of two runs, as text. */
export interface ComparedFact {
  name: string;
  one: string;
  other: string;
  differs: boolean;
}

const jsonOf = (value: unknown): string => JSON.stringify(value ?? null);

const inputOf = ({ input, input_value: typed }: Execution): string =>
  input?.name ?? (typed === null || typed === undefined ? '–' : 'typed');

const FACTS: [name: string, of: (run: Execution) => string][] = [
  ['Status', run => ACTION_LABELS[run.action]],
  ['Error', run => run.error_code ?? '–'],
  ['Skript', run => run.skript.name],
  ['Version', ({ bundle_hash: hash, version_number: number }) => (hash === null ? '–' : versionText(number, hash))],
  ['Worker', run => run.worker?.name ?? '–'],
  ['Input', inputOf],
  ['Input secret', run => run.inputSecret?.name ?? '–'],
  ['Attempt', run => String(run.attempt)],
  ['Duration', run => durationText(durationMs(run))],
  ['Dataset rows', run => run.rows.toLocaleString('en-GB')],
  ['Echoes', run => run.last_seq.toLocaleString('en-GB')],
];

export const comparedFacts = (one: Execution, other: Execution): ComparedFact[] =>
  FACTS.map(([name, of]) => ({ name, one: of(one), other: of(other), differs: of(one) !== of(other) }));

/** Says whether two JSON values differ. */
export const valuesDiffer = (one: unknown, other: unknown): boolean => jsonOf(one) !== jsonOf(other);
