// The function `readInBrowser` needs the types of the DOM.
/// <reference lib="dom" />
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { openPage } from '../harness/browser/chromium.js';

/** Facts about one page. The skript stores the same fields, and also `page`. */
export interface PageFacts {
  /** The document's title, with white space collapsed. */
  title: string;
  /** h1 to h6 in document order, with white space collapsed. */
  headings: { level: number; text: string }[];
  /** Number of `<a href>`. */
  links: number;
}

/** Returns the HTML files below `folder` as sorted paths with slashes. */
export async function pagesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && entry.name.endsWith('.html'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** This function runs in the browser, so it must not use variables or imports of this file. */
function readInBrowser(html: string): PageFacts {
  const document = new DOMParser().parseFromString(html, 'text/html');
  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(heading => ({
    level: Number(heading.localName.slice(1)),
    text: (heading.textContent ?? '')
      .split(/[\t\n\f\r ]+/)
      .filter(Boolean)
      .join(' '),
  }));
  return { title: document.title, headings, links: document.querySelectorAll('a[href]').length };
}

/**
 * Reads titles, headings and links of the given pages of a folder, or of all its pages. It uses Chromium's HTML parser,
 * which shares no code with the parser of the skript. It parses pages as text, without running their scripts or loading
 * anything.
 */
export async function countIndependently(
  folder: string,
  browser: Browser,
  pages?: string[],
): Promise<Map<string, PageFacts>> {
  const facts = new Map<string, PageFacts>();
  const tab = await openPage(browser);
  try {
    for (const page of pages ?? (await pagesIn(folder))) {
      const html = await readFile(join(folder, page), 'utf8');
      facts.set(page, await tab.evaluate(readInBrowser, html));
    }
  } finally {
    await tab.close();
  }
  return facts;
}
