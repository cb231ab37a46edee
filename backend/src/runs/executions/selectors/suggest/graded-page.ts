import { keyOf, type OldValues, type Scalar } from './old-values.js';
import { type PageElement, plain, readElements } from './page-elements.js';
import type { Grade, KnownValues, ValueMatcher } from './value-matcher.js';

export interface Page {
  url: string;
  html: string;
}

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
const LINKS = new Set(['href', 'src']);

/** A page whose texts and attributes are compared with the old values. */
export class GradedPage {
  readonly hits: Hit[] = [];
  readonly elementCount: number;
  readonly #byHandle = new Map<string, PageElement[]>();
  readonly #grades = new Map<PageElement, Map<Place, Grade>>();

  constructor(
    readonly page: Page,
    old: OldValues,
    matcher: ValueMatcher,
  ) {
    const elements = readElements(page.html, matcher.maxChars);
    for (const element of elements) {
      for (const handle of element.handles) {
        const known = this.#byHandle.get(handle);
        if (known) known.push(element);
        else this.#byHandle.set(handle, [element]);
      }
    }
    this.elementCount = elements.length;
    const expected = expectedOn(page, elements, old, matcher);
    for (const element of elements) this.#grade(element, expected, matcher);
  }

  /** Elements that a simple selector matches. */
  matching(handle: string): readonly PageElement[] {
    return this.#byHandle.get(handle) ?? [];
  }

  gradeOf(element: PageElement, place: Place): Grade | null {
    return this.#grades.get(element)?.get(place) ?? null;
  }

  #grade(element: PageElement, expected: KnownValues | null, matcher: ValueMatcher): void {
    const add = (place: Place, text: string) => {
      const grade = matcher.grade(text, expected);
      if (!grade) return;
      const grades = this.#grades.get(element) ?? new Map<Place, Grade>();
      this.#grades.set(element, grades.set(place, grade));
      this.hits.push({ element, place, grade });
    };
    if (element.text !== null) add(null, element.text);
    for (const [name, value] of Object.entries(element.attributes)) {
      if (value.length > matcher.maxChars || IGNORED.test(name)) continue;
      add(name, LINKS.has(name) ? resolved(value, this.page.url) : plain(value));
    }
  }
}

/** The old values of those rows that the page names, by their URL or another key. Null if it names none. */
function expectedOn(
  { url }: Page,
  elements: readonly PageElement[],
  { byKey }: OldValues,
  matcher: ValueMatcher,
): KnownValues | null {
  if (byKey.size === 0) return null;
  const found = new Set<Scalar>();
  const look = (text: string) => {
    const value = byKey.get(keyOf(text));
    if (value !== undefined) found.add(value);
  };
  look(url);
  for (const { text, attributes } of elements) {
    if (text) look(text);
    for (const [name, value] of Object.entries(attributes)) look(LINKS.has(name) ? resolved(value, url) : value);
  }
  return found.size > 0 ? matcher.known(found) : null;
}

function resolved(link: string, base: string): string {
  try {
    return new URL(link, base).href;
  } catch {
    // A page may have links that are no URLs.
    return link;
  }
}

/** The value of an element at a place. */
export const valueIn = ({ text, attributes }: PageElement, place: Place): string | null =>
  place === null ? text : plain(attributes[place] ?? '');
