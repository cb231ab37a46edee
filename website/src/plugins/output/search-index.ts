import type { CheerioAPI } from 'cheerio';
import { offerIndex } from '../../../content/offers';
import { FOOTER_COLUMNS, LEGAL_COLUMN, NAVBAR_LINKS, SIGN_UP } from '../../../content/site-links';
import { CHANGELOG_ROUTE } from '../sources/changelog';
import { indexPaths } from '../sources/index-pages';

/** A section of a page whose heading has an anchor, or the page itself with the text outside such sections. */
export interface SearchEntry {
  /** Route of the page. For a section, with its anchor. */
  to: string;
  isPage: boolean;
  /** Name of the page in menus, or its title. */
  page: string;
  heading: string;
  text: string;
  /** For pages: title and keywords. */
  aliases?: string;
  /** For pages: description. */
  description?: string;
}

/** Elements that are not searched: navigation, and long code that would outweigh the text, such as whole skripts. */
const NOT_INDEXED =
  'script, style, svg, nav, footer, button, select, thead, [data-operator], [data-whole], [hidden], [aria-hidden=true], .api-operation > summary, .hash-link';
/** Elements that do not separate words, because they can be inside a word. */
const INLINE = new Set(['a', 'b', 'code', 'em', 'i', 'mark', 'span', 'strong', 'sub', 'sup']);

const CODE = new Set(['code', 'pre']);

/** Lists of pages and the changelog have words of every page, and would come before the pages themselves. */
export const isSearched = (route: string): boolean => route !== CHANGELOG_ROUTE && !indexPaths().includes(route);

/** Maps routes to their names in menus. The navigation bar takes precedence. */
export function namesInMenus(): Map<string, string> {
  const { services, industries } = offerIndex();
  const offers = [...services.flatMap(({ links }) => links), ...industries];
  const columns = [...FOOTER_COLUMNS, LEGAL_COLUMN].flatMap(({ links }) => links);
  return new Map([
    ...columns.map(({ to, label }) => [to, label] as const),
    ...offers.map(({ to, name }) => [to, name] as const),
    ...[...NAVBAR_LINKS, SIGN_UP].map(({ to, label }) => [to, label] as const),
  ]);
}

/** Returns what is searched of a page. It removes the other elements from the page. */
export function searchEntries(route: string, $: CheerioAPI, name?: string): SearchEntry[] {
  const meta = (of: string): string => $(`meta[name="${of}"]`).attr('content') ?? '';
  const title = $('title').text().split(' | ')[0] ?? '';
  const main = $('.theme-doc-markdown').first().add($('main')).first();
  main.find(NOT_INDEXED).remove();

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
  /** The entry to which the text is added now, and the level of its heading. */
  let current = { entry: whole, heading: 'h1' };
  const add = (text: string): void => {
    current.entry.text += text;
  };
  type Node = ReturnType<typeof main.contents>[number];
  const visit = (node: Node, isInCode: boolean): void => {
    if (node.type === 'text') add(node.data);
    if (node.type !== 'tag') return;
    const isHeading = /^h[23]$/.test(node.name);
    // The heading of a fold has no anchor. The folded section has it.
    const id = isHeading && (node.attribs.id ?? $(node).closest('summary').next().attr('id'));
    if (isHeading && id) {
      const part = { to: `${route}#${id}`, isPage: false, page, heading: '', text: '' };
      entries.push(part);
      current = { entry: part, heading: node.name };
      for (const child of node.children) visit(child as Node, false);
      part.heading = collapseWhitespace(part.text);
      part.text = '';
      return;
    }
    // A heading without an anchor ends the current section, unless its level is lower (h3 in a section with h2).
    if (isHeading && node.name <= current.heading) current = { entry: whole, heading: 'h1' };
    // Separate the texts of adjacent elements by a blank, but not in code, where the elements are highlighted tokens.
    if (node.prev?.type === 'tag' && !isInCode) add(' ');
    for (const child of node.children) visit(child as Node, isInCode || CODE.has(node.name));
    if (!INLINE.has(node.name)) add(' ');
  };
  for (const node of main.contents()) visit(node, false);
  return entries.map(entry => ({ ...entry, text: collapseWhitespace(entry.text) }));
}

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim();
