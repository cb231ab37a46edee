import { GradedPage } from './graded-page.js';
import type { PageElement } from './page-elements.js';
import type { ReadPage } from './read-page.js';

/** A row has at least so many fields; with fewer, a row and the element of a field are the same. */
const MIN_FIELDS = 2;
/** Steps to ancestors of all pages: less than a second. */
const MAX_STEPS = 5_000_000;
/** An element with this share of the fields of the best one may be a row whose other fields are empty. */
const LIKE_SHARE = 0.5;

/**
 * Grades the elements that hold one row each: they contain one value of as many fields as possible. Leaves out pages with
 * fewer than two.
 *
 * @param fields for each field, the elements that have its values, by page
 */
export function gradeRows(pages: readonly ReadPage[], fields: readonly PageElement[][][]): GradedPage[] {
  const budget = { steps: MAX_STEPS };
  return pages.flatMap((page, number) => {
    const scores = scoresOf(
      fields.map(ofPages => ofPages[number] ?? []),
      budget,
    );
    const best = [...scores.values()].reduce((most, score) => Math.max(most, score), 0);
    const rows = page.elements.filter(element => scores.get(element) === best);
    const isRepeated = rows.some((row, index) => index > 0 && !isInside(row, rows[0] as PageElement));
    if (best < MIN_FIELDS || !isRepeated) return [];
    const graded = new GradedPage(page);
    for (const element of page.elements) {
      const score = scores.get(element) ?? 0;
      if (score < MIN_FIELDS || score < best * LIKE_SHARE) continue;
      graded.add({ element, place: null, grade: score === best ? 'same' : 'like' });
    }
    return [graded];
  });
}

/** For each element, the number of fields of which it contains one value, less those of which it contains more. */
function scoresOf(fields: readonly PageElement[][], budget: { steps: number }): Map<PageElement, number> {
  const scores = new Map<PageElement, number>();
  for (const elements of fields) {
    const counts = new Map<PageElement, number>();
    for (const element of elements) {
      for (let outer: PageElement | null = element; outer && budget.steps > 0; outer = outer.parent) {
        counts.set(outer, (counts.get(outer) ?? 0) + 1);
        budget.steps--;
      }
    }
    for (const [element, count] of counts) scores.set(element, (scores.get(element) ?? 0) + (count === 1 ? 1 : -1));
  }
  return scores;
}

function isInside({ parent }: PageElement, other: PageElement): boolean {
  for (let outer = parent; outer; outer = outer.parent) if (outer === other) return true;
  return false;
}
