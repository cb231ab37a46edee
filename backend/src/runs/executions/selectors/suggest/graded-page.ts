import { keyOf, type OldValues, type Scalar } from './old-values.js';
import { type PageElement, plain } from './page-elements.js';
import type { ReadPage } from './read-page.js';
import type { Grade, KnownValues, ValueMatcher } from './value-matcher.js';

/** Where an element has a value: in its text (null), or in an attribute. */
export type Place = string | null;

export interface Hit {
  element: PageElement;
  place: Place;
  grade: Grade;
}

/** These attributes have numbers and words that are no data. */
const IGNORED =
  /^(?:class|style|id|for|width|height|tabindex|colspan|rowspan|maxlength|size|rows|cols|viewbox|d|points|x|y|r|srcset|sizes|on.*|aria-.*by|rel|type|role|lang|charset|method|name|itemprop|property)$/i;

/** A page some of whose elements have what a selector is to give. */
export class GradedPage {
  readonly hits: Hit[] = [];
  readonly #grades = new Map<PageElement, Map<Place, Grade>>();

  constructor(readonly page: ReadPage) {}

  gradeOf(element: PageElement, place: Place): Grade | null {
    return this.#grades.get(element)?.get(place) ?? null;
  }

  add(hit: Hit): void {
    const { element, place, grade } = hit;
    const grades = this.#grades.get(element) ?? new Map<Place, Grade>();
    this.#grades.set(element, grades.set(place, grade));
    this.hits.push(hit);
  }
}

/** Compares the texts and attributes of a page with old values. */
export function gradePage(page: ReadPage, old: OldValues, matcher: ValueMatcher): GradedPage {
  const graded = new GradedPage(page);
  const expected = expectedOn(page, old, matcher);
  for (const element of page.elements) {
    const compare = (place: Place, text: string) => {
      const grade = matcher.grade(text, expected);
      if (grade) graded.add({ element, place, grade });
    };
    if (element.text !== null) compare(null, element.text);
    for (const [name, value] of Object.entries(element.attributes)) {
      if (value.length <= matcher.maxChars && !IGNORED.test(name)) compare(name, page.attribute(name, value));
    }
  }
  return graded;
}

/** The old values of those rows that the page names, by their URL or another key. Null if it names none. */
function expectedOn(page: ReadPage, { byKey }: OldValues, matcher: ValueMatcher): KnownValues | null {
  if (byKey.size === 0) return null;
  const found = new Set<Scalar>();
  for (const text of page.names()) {
    const value = byKey.get(keyOf(text));
    if (value !== undefined) found.add(value);
  }
  return found.size > 0 ? matcher.known(found) : null;
}

/** The value of an element at a place. */
export const valueIn = ({ text, attributes }: PageElement, place: Place): string | null =>
  place === null ? text : plain(attributes[place] ?? '');
