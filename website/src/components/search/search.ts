import type { SearchEntry } from '@site/src/plugins/output/search-index';
import MiniSearch, { type SearchOptions } from 'minisearch';

export interface Hit extends SearchEntry {
  /** Part of the text around the first match. */
  excerpt: string;
  /** Words of the page that match the query, in lower case. */
  words: string[];
}

export type Search = (query: string) => Hit[];

const MAX_HITS = 12;
const EXCERPT_CHARS = 150;
/** Number of characters that an excerpt shows before the first match. */
const LEAD_CHARS = 40;
/** Ranks pages above their sections. */
const PAGE_BOOST = 1.6;
/** Ranks the reference of routes below the pages that explain. */
const ROUTES_BOOST = 0.5;
/** Words of a question that are on every page. */
const STOP_WORDS = new Set([
  'a',
  'an',
  'and',
  'do',
  'does',
  'how',
  'i',
  'in',
  'is',
  'my',
  'of',
  'the',
  'to',
  'what',
  'with',
]);
const FUZZY_FROM_CHARS = 5;
const FUZZINESS = 0.2;

const FIELDS = ['heading', 'page', 'aliases', 'description', 'text'];
const OPTIONS: SearchOptions = {
  boost: { heading: 5, aliases: 3, page: 2 },
  prefix: true,
  processTerm: term => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
  fuzzy: term => (term.length >= FUZZY_FROM_CHARS ? FUZZINESS : false),
};

/** Returns a search function. It finds the entries with all words, or, if there are none, those with any word. */
export function searchIn(entries: readonly SearchEntry[]): Search {
  const index = new MiniSearch<SearchEntry & { id: number }>({ fields: FIELDS });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return query => {
    const options = { ...OPTIONS, boostDocument: (id: number) => boostOf(entries[id] as SearchEntry) };
    const all = index.search(query, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(query, options);
    return found.slice(0, MAX_HITS).map(({ id, terms }) => {
      const entry = entries[id] as SearchEntry;
      return { ...entry, words: terms, excerpt: excerptOf(entry, terms) };
    });
  };
}

const boostOf = ({ to, isPage }: SearchEntry): number =>
  (isPage ? PAGE_BOOST : 1) * (/-routes(#|$)/.test(to) ? ROUTES_BOOST : 1);

/** Returns the text around the first match, or the page's description if the text itself has no match. */
function excerptOf({ text, description }: SearchEntry, words: string[]): string {
  const lower = text.toLowerCase();
  const places = words.map(word => lower.indexOf(word)).filter(place => place >= 0);
  if (places.length === 0 && description) return description;
  const first = places.length > 0 ? Math.min(...places) : 0;
  const start = first <= LEAD_CHARS ? 0 : text.indexOf(' ', first - LEAD_CHARS) + 1;
  const isToTheEnd = start + EXCERPT_CHARS >= text.length;
  const lastSpace = text.lastIndexOf(' ', start + EXCERPT_CHARS);
  const end = isToTheEnd || lastSpace <= first ? start + EXCERPT_CHARS : lastSpace;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${isToTheEnd ? '' : ' …'}`;
}

/** Splits a text at the matching words. In the result, the parts at odd indexes are the matching words. */
export function markedParts(text: string, words: string[]): string[] {
  if (words.length === 0) return [text];
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  const pattern = longestFirst.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${pattern})`, 'iu'));
}
