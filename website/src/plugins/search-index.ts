import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { load } from 'cheerio';
import { compress } from './precompressed';

/** A part of a page, from one heading to the next. */
export interface SearchEntry {
  /** Route with the heading's anchor; of a page's beginning without one. */
  to: string;
  page: string;
  heading: string;
  text: string;
}

/** The search box asks for it by this name. */
const FILE = 'search-index.json';

/** Recorded answers, skripts and the second language of examples would drown what is said about them. */
const NOT_SEARCHED =
  'script, style, svg, nav, footer, button, select, details, thead, [data-whole], [hidden], [aria-hidden=true], .hash-link';
/** Between these, text belongs to one word. */
const INLINE = new Set(['a', 'b', 'code', 'em', 'i', 'mark', 'span', 'strong', 'sub', 'sup']);

/** Writes what the search box reads: the text of every page, by headings. */
export function searchIndex(): Plugin {
  return {
    name: 'search-index',
    async postBuild({ outDir, routesPaths }) {
      const routes = routesPaths.filter(route => !route.endsWith('404.html'));
      const pages = await Promise.all(
        routes.map(async route => entriesOf(route, await readFile(fileOf(outDir, route), 'utf8'))),
      );
      const file = join(outDir, FILE);
      await writeFile(file, JSON.stringify(pages.flat()));
      await compress(file);
    },
  };
}

const fileOf = (outDir: string, route: string): string => join(outDir, route === '/' ? 'index.html' : `${route}.html`);

export function entriesOf(route: string, html: string): SearchEntry[] {
  const $ = load(html);
  const main = $('.theme-doc-markdown').first().add($('main')).first();
  main.find(NOT_SEARCHED).remove();
  const page = main.find('h1').first().text().trim() || $('title').text();
  const entries: SearchEntry[] = [{ to: route, page, heading: page, text: '' }];
  const visit = (node: ReturnType<typeof main.contents>[number]): void => {
    const entry = entries.at(-1) as SearchEntry;
    if (node.type === 'text') entry.text += node.data;
    if (node.type !== 'tag') return;
    const isHeading = /^h[123]$/.test(node.name);
    if (isHeading && node.name !== 'h1') {
      const { id } = node.attribs;
      entries.push({ to: id ? `${route}#${id}` : route, page, heading: $(node).text().trim(), text: '' });
    }
    if (isHeading) return;
    for (const child of node.children) visit(child as typeof node);
    if (!INLINE.has(node.name)) (entries.at(-1) as SearchEntry).text += ' ';
  };
  for (const node of main.contents()) visit(node);
  return entries
    .map(entry => ({ ...entry, text: entry.text.replace(/\s+/g, ' ').trim() }))
    .filter(({ text, heading }, index) => index === 0 || text !== '' || heading !== '');
}
