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

/** Returns the value at a path of names joined by dots. A name may contain dots itself. */
function valueAt(row: unknown, path: string): unknown {
  if (row === null || typeof row !== 'object') return undefined;
  if (Object.hasOwn(row, path)) return (row as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(row, name)) return valueAt((row as Record<string, unknown>)[name], path.slice(dot + 1));
  }
  return undefined;
}
