import { valueAt } from './value-at.js';
import type { Finding } from './verdict.js';

const MAX_ROWS = 3;

/** Chooses up to three of a run's rows that show a finding. */
export function rowsThatShow({ what, field }: Finding, rows: object[]): object[] {
  if (what === 'rows') return [];
  const isShown = (row: object) => what !== 'filled' || field === null || isEmpty(valueAt(row, field));
  return rows.filter(isShown).slice(0, MAX_ROWS);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '') || Number.isNaN(value);
