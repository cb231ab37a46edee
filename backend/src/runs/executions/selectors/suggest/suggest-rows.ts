import { gradePage } from './graded-page.js';
import { keyFields, keyOf, keysOf, type OldValues, oldValues, RESERVED } from './old-values.js';
import { type Page, type ReadPage, readPages } from './read-page.js';
import { gradeRows } from './row-elements.js';
import { type FoundSelector, type SuggestedSelector, searchSelectors } from './selector-search.js';
import { ValueMatcher } from './value-matcher.js';

const MAX_FIELDS = 8;
/** Pages after this many elements are not read. So many take about 1 s for each field; hostile ones 2 s. */
const MAX_ELEMENTS = 50_000;
/** Fields whose values are looked at. */
const MAX_PATHS = 200;
const MAX_DEPTH = 3;

export interface RowSuggestions {
  /** The selector of the elements that hold a row each; null if no element is repeated. */
  row: { selector: string; pages: number; rows: number } | null;
  /** Fields with at most three selectors, the best first. */
  fields: { field: string; items: SuggestedSelector[] }[];
  /** Number of pages that were compared: those with missing rows, if the run has stored others. */
  pages: number;
  /** Number of pages that were read. */
  read: number;
  /** Number of rows of the good run that the run has not stored. */
  missing: number;
  /** Number of fields with old values. */
  known: number;
}

/**
 * Suggests CSS selectors for rows that a run has not found. The same input always gives the same answer, in bounded time.
 *
 * @param pages of the run
 * @param good rows of the last good run
 * @param stored rows of the run itself
 */
export function suggestRows(
  pages: readonly Page[],
  good: readonly object[],
  stored: readonly object[],
): RowSuggestions {
  const keys = keyFields(good);
  const missing = stored.length > 0 && keys.length > 0 ? missingOf(good, stored, keys) : good;
  const olds = usefulFields(missing).slice(0, MAX_FIELDS);
  const matchers = olds.map(old => new ValueMatcher(old.values));
  const read = readPages(
    pages,
    matchers.reduce((most, { maxChars }) => Math.max(most, maxChars), 0),
    MAX_ELEMENTS,
  );
  // Selectors that worked are no help, so look only at pages whose rows are missing.
  const compared = missing === good ? read : read.filter(namesOneOf(missing, keys));
  const found = olds.map((old, index) => ({
    field: old.field,
    selectors: searchSelectors(
      compared.map(page => gradePage(page, old, matchers[index] as ValueMatcher)),
      [old.field],
    ),
  }));
  const withSelectors = found.filter(({ selectors }) => selectors.length > 0);
  const row = rowOf(compared, withSelectors);
  // Texts of an error page may look like old values, too.
  const isTrusted = row !== null || withSelectors.some(({ selectors }) => selectors[0]?.same);
  return {
    row,
    fields: isTrusted
      ? withSelectors.map(({ field, selectors }) => ({ field, items: selectors.map(one => one.suggestion) }))
      : [],
    pages: compared.length,
    read: read.length,
    missing: missing.length,
    known: olds.length,
  };
}

/** Rows of the good run that the run has not stored: it has none with most of their keys. */
function missingOf(good: readonly object[], stored: readonly object[], keys: readonly string[]): object[] {
  const known = new Set(stored.flatMap(row => keysOf(row, keys)));
  return good.filter(row => {
    const ofRow = keysOf(row, keys);
    return ofRow.filter(key => known.has(key)).length * 2 < ofRow.length;
  });
}

function namesOneOf(rows: readonly object[], keys: readonly string[]): (page: ReadPage) => boolean {
  const names = new Set(rows.flatMap(row => keysOf(row, keys)));
  return page => [...page.names()].some(text => names.has(keyOf(text)));
}

/** Values of fields, those first that have the most different ones: they tell rows apart. */
function usefulFields(rows: readonly object[]): OldValues[] {
  const known = [...pathsIn(rows)].map(path => {
    const old = oldValues(rows, path);
    return { old, different: new Set(old.values).size };
  });
  return known
    .filter(({ different }) => different > 1 || (different === 1 && rows.length === 1))
    .sort((a, b) => b.different - a.different)
    .map(({ old }) => old);
}

function pathsIn(rows: readonly object[]): Set<string> {
  const paths = new Set<string>();
  const collect = (value: object, prefix: string, depth: number) => {
    for (const [name, inner] of Object.entries(value)) {
      if (paths.size >= MAX_PATHS) return;
      const path = prefix + name;
      if (depth === 1 && RESERVED.has(name)) continue;
      if (isRecord(inner) && depth < MAX_DEPTH) collect(inner, `${path}.`, depth + 1);
      else paths.add(path);
    }
  };
  for (const row of rows) collect(row, '', 1);
  return paths;
}

const isRecord = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

function rowOf(
  pages: readonly ReadPage[],
  fields: readonly { field: string; selectors: FoundSelector[] }[],
): RowSuggestions['row'] {
  const graded = gradeRows(
    pages,
    fields.map(({ selectors }) => selectors[0]?.elements ?? []),
  );
  const [best] = searchSelectors(
    graded,
    fields.map(({ field }) => field),
  );
  if (!best) return null;
  const { selector, pages: count } = best.suggestion;
  return { selector, pages: count, rows: best.elements.flat().length };
}
