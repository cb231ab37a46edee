// What runs in the browser is written with its types.
/// <reference lib="dom" />
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Browser } from 'puppeteer-core';

/** What is true of one page; the skript stores the same beside `page`. */
export interface PageFacts {
  /** The document's title, white space collapsed. */
  title: string;
  /** h1 to h6 in the document's order, white space collapsed. */
  headings: { level: number; text: string }[];
  /** How many `<a href>`. */
  links: number;
}

/** The HTML files below `folder`, as paths with slashes, sorted. */
async function pagesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && entry.name.endsWith('.html'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Runs in the browser: everything it uses is in it. */
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
 * Titles, headings and links of every page of a folder, by Chromium's own HTML parser: it shares no code with the parser
 * that skripts use. Pages are parsed as text, without running their scripts or loading anything.
 */
export async function countIndependently(folder: string, browser: Browser): Promise<Map<string, PageFacts>> {
  const facts = new Map<string, PageFacts>();
  const tab = await browser.newPage();
  try {
    for (const page of await pagesIn(folder)) {
      const html = await readFile(join(folder, page), 'utf8');
      facts.set(page, await tab.evaluate(readInBrowser, html));
    }
  } finally {
    await tab.close();
  }
  return facts;
}
