import { gradePage } from './graded-page.js';
import type { OldValues } from './old-values.js';
import { type Page, readPages } from './read-page.js';
import { type SuggestedSelector, searchSelectors } from './selector-search.js';
import { ValueMatcher } from './value-matcher.js';

/** Pages after this many elements are not read. So many take about 2 s. */
const MAX_ELEMENTS = 100_000;

export interface Suggestions {
  /** Number of pages that were read. */
  pages: number;
  /** At most three, the best first. */
  items: SuggestedSelector[];
}

/**
 * Suggests CSS selectors for a field that has become empty: those that give its old values on pages of a later run, or
 * values that look like them. The same input always gives the same answer, in bounded time.
 *
 * @param pages of the run whose field is empty
 */
export function suggestSelectors(pages: readonly Page[], old: OldValues): Suggestions {
  if (old.values.length === 0) return { pages: 0, items: [] };
  const matcher = new ValueMatcher(old.values);
  const graded = readPages(pages, matcher.maxChars, MAX_ELEMENTS).map(page => gradePage(page, old, matcher));
  return { pages: graded.length, items: searchSelectors(graded, [old.field]).map(({ suggestion }) => suggestion) };
}
