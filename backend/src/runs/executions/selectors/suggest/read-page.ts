import { type PageElement, plain, readElements } from './page-elements.js';

export interface Page {
  url: string;
  html: string;
}

const LINKS = new Set(['href', 'src']);

/** A page whose elements are found by simple selectors. */
export class ReadPage {
  readonly url: string;
  readonly elements: readonly PageElement[];
  readonly #byHandle = new Map<string, PageElement[]>();

  constructor({ url, html }: Page, maxTextChars: number) {
    this.url = url;
    this.elements = readElements(html, maxTextChars);
    for (const element of this.elements) {
      for (const handle of element.handles) {
        const known = this.#byHandle.get(handle);
        if (known) known.push(element);
        else this.#byHandle.set(handle, [element]);
      }
    }
  }

  /** Elements that a simple selector matches. */
  matching(handle: string): readonly PageElement[] {
    return this.#byHandle.get(handle) ?? [];
  }

  /** The value of an attribute; a link as a whole URL. */
  attribute(name: string, value: string): string {
    return LINKS.has(name) ? resolved(value, this.url) : plain(value);
  }

  /** Texts that may name a row: the page's URL, texts and attributes. */
  *names(): Generator<string> {
    yield this.url;
    for (const { text, attributes } of this.elements) {
      if (text) yield text;
      for (const [name, value] of Object.entries(attributes)) yield this.attribute(name, value);
    }
  }
}

/** Reads pages, until they have too many elements. */
export function readPages(pages: readonly Page[], maxTextChars: number, maxElements: number): ReadPage[] {
  const read: ReadPage[] = [];
  let elements = 0;
  for (const page of pages) {
    if (elements >= maxElements) break;
    const one = new ReadPage(page, maxTextChars);
    elements += one.elements.length;
    read.push(one);
  }
  return read;
}

function resolved(link: string, base: string): string {
  try {
    return new URL(link, base).href;
  } catch {
    // A page may have links that are no URLs.
    return link;
  }
}
