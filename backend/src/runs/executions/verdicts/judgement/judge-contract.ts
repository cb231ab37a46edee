import type { RowContract } from '@trawl/contracts';
import type { TargetSummary } from '../profile/row-profile.js';
import { DATASET, type RunProfile } from '../profile/run-profile.js';
import type { SchemaSummary } from '../profile/schema-checker.js';
import { countOf, percent, percents, placeOf } from './sentences.js';
import type { Finding } from './verdict.js';

type Figures = Pick<Finding, 'what' | 'field' | 'was' | 'now' | 'text'>;

/** Judges the rows that a run has stored with `dataset.push` by the contract of its skript. */
export function judgeContract(contract: RowContract, { targets, skipped, schema }: RunProfile): Finding[] {
  const summary = targets.find(({ target }) => target === DATASET);
  const rows = summary?.rows ?? skipped.find(({ target }) => target === DATASET)?.rows ?? 0;
  const broken = [...numberOfRows(contract, rows), ...(summary ? filled(contract, summary) : [])];
  const ofSchema = contract.schema && schema ? refusals(schema) : [];
  return [...broken, ...ofSchema].map(figures => ({ level: 'broken', target: DATASET, ...figures }));
}

function numberOfRows({ min, max }: RowContract, rows: number): Figures[] {
  const figures = (limit: number, words: string): Figures => ({
    what: 'rows',
    field: null,
    was: limit,
    now: rows,
    text: `${placeOf(DATASET)} got ${countOf(rows, 'row')}; the contract wants at ${words} ${limit}.`,
  });
  if (min !== undefined && rows < min) return [figures(min, 'least')];
  return max !== undefined && rows > max ? [figures(max, 'most')] : [];
}

function filled(
  { fill = {} }: RowContract,
  { rows, fields, has_more_fields }: TargetSummary,
): (Figures & Pick<Finding, 'rows'> & { level?: 'unusual' })[] {
  if (rows === 0) return [];
  return Object.entries(fill).flatMap(([path, least]) => {
    const field = fields.find(summary => summary.path === path);
    // The profile of a run with more fields than it holds does not tell whether the field was there.
    if (!field && has_more_fields) {
      const text = `The contract wants ${path} in at least ${percent(least)} of rows. Trawl could not check it: rows have too many fields before it.`;
      return [{ level: 'unusual' as const, what: 'filled' as const, field: path, was: least, now: 0, text, rows: [] }];
    }
    const now = field?.filled ?? 0;
    if (now >= least) return [];
    const [is, wanted] = percents(now, least);
    const text = `${path} was filled in ${is} of rows; the contract wants at least ${wanted}.`;
    return [{ what: 'filled', field: path, was: least, now, text } satisfies Figures];
  });
}

function refusals({ checked, refused, problem }: SchemaSummary): (Figures & Pick<Finding, 'rows' | 'level'>)[] {
  const all = refused.map(({ field, reason, rows, examples }) => ({
    level: 'broken' as const,
    what: 'schema' as const,
    field,
    was: 0,
    now: rows / checked,
    text: `The schema refuses ${field ?? 'whole rows'} in ${percent(rows / checked)} of rows: ${reason}`,
    rows: examples,
  }));
  if (problem === undefined) return all;
  const text = `The schema was checked in ${countOf(checked, 'row')}, and then no longer: ${problem}.`;
  return [...all, { level: 'unusual', what: 'schema', field: null, was: 0, now: 0, text, rows: [] }];
}
