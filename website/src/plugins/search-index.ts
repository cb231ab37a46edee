import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from '@docusaurus/types';
import { load } from 'cheerio';
import { offerIndex } from '../../content/offers';
import { FOOTER_COLUMNS, LEGAL_COLUMN, NAVBAR_LINKS, SIGN_UP } from '../../content/site-links';
import { compress } from './precompressed';

/** A part of a page below a heading that a link can lead to, or the page with all that is in no such part. */
export interface SearchEntry {
  /** Route, of a part with its heading's anchor. */
  to: string;
  isPage: boolean;
  /** As menus call the page; for one that is in no menu its title. */
  page: string;
  heading: string;
  text: string;
  /** Of pages: other words that people may look for it by. */
  aliases?: string;
  /** Of pages: what it says about itself. */
  description?: string;
}

/** The search box asks for it by this name. */
const FILE = 'search-index.json';

/** Recorded answers, skripts and the second language of examples would drown what is said about them. */
const NOT_SEARCHED =
  'script, style, svg, nav, footer, button, select, details, thead, [data-whole], [hidden], [aria-hidden=true], .hash-link';
/** Around these, text may belong to one word. */
const INLINE = new Set(['a', 'b', 'code', 'em', 'i', 'mark', 'span', 'strong', 'sub', 'sup']);

/** Writes what the search box reads: the text of every page, by headings. */
export function searchIndex(): Plugin {
  return {
    name: 'search-index',
    async postBuild({ outDir, routesPaths }) {
      const names = namesInMenus();
      const routes = routesPaths.filter(route => !route.endsWith('404.html'));
      const pages = await Promise.all(
        routes.map(async route => entriesOf(route, await readFile(fileOf(outDir, route), 'utf8'), names.get(route))),
      );
      const file = join(outDir, FILE);
      await writeFile(file, JSON.stringify(pages.flat()));
      await compress(file);
    },
  };
}

/** What links in the bar, the footer and the lists of offers call the pages; the bar's name wins. */
function namesInMenus(): Map<string, string> {
  const { services, industries } = offerIndex();
  const offers = [...services.flatMap(({ links }) => links), ...industries];
  const columns = [...FOOTER_COLUMNS, LEGAL_COLUMN].flatMap(({ links }) => links);
  return new Map([
    ...columns.map(({ to, label }) => [to, label] as const),
    ...offers.map(({ to, name }) => [to, name] as const),
    ...[...NAVBAR_LINKS, SIGN_UP].map(({ to, label }) => [to, label] as const),
  ]);
}

const fileOf = (outDir: string, route: string): string => join(outDir, route === '/' ? 'index.html' : `${route}.html`);

export function entriesOf(route: string, html: string, name?: string): SearchEntry[] {
  const $ = load(html);
  const meta = (of: string): string => $(`meta[name="${of}"]`).attr('content') ?? '';
  const title = $('title').text().split(' | ')[0] ?? '';
  const main = $('.theme-doc-markdown').first().add($('main')).first();
  main.find(NOT_SEARCHED).remove();

  const page = name ?? title;
  const whole: SearchEntry = {
    to: route,
    isPage: true,
    page,
    heading: page,
    text: '',
    aliases: `${title}, ${meta('keywords')}`,
    description: meta('description'),
  };
  const entries = [whole];
  /** Where text goes, and the heading that this began with. */
  let current = { entry: whole, heading: 'h1' };
  const add = (text: string): void => {
    current.entry.text += text;
  };
  type Node = ReturnType<typeof main.contents>[number];
  const visit = (node: Node): void => {
    if (node.type === 'text') add(node.data);
    if (node.type !== 'tag') return;
    const { id } = node.attribs;
    const isHeading = /^h[23]$/.test(node.name);
    if (isHeading && id) {
      const part = { to: `${route}#${id}`, isPage: false, page, heading: '', text: '' };
      entries.push(part);
      current = { entry: part, heading: node.name };
      for (const child of node.children) visit(child as Node);
      part.heading = tidied(part.text);
      part.text = '';
      return;
    }
    // What comes below a heading without an anchor is no longer of the part before, unless it is a smaller one.
    if (isHeading && node.name <= current.heading) current = { entry: whole, heading: 'h1' };
    // Two elements without text between them are two words, but for the colours of code.
    if (node.prev?.type === 'tag' && $(node).parent().closest('pre, code').length === 0) add(' ');
    for (const child of node.children) visit(child as Node);
    if (!INLINE.has(node.name)) add(' ');
  };
  for (const node of main.contents()) visit(node);
  return entries.map(entry => ({ ...entry, text: tidied(entry.text) }));
}

const tidied = (text: string): string => text.replace(/\s+/g, ' ').trim();
