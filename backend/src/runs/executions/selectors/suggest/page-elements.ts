import { Parser } from 'htmlparser2';
import { handlesOf } from './handles.js';

/** More elements of a page are not read. */
const MAX_ELEMENTS = 20_000;
/** A page with deeper elements is read up to there: the parser takes quadratic time for them. */
const MAX_DEPTH = 256;
/** The parser stops between chunks of this size. */
const CHUNK_CHARS = 4_096;
const MAX_ATTRIBUTES = 50;
/** Their text is not on the page. */
const WITHOUT_TEXT = new Set(['script', 'style', 'template', 'noscript', 'svg']);

/** An element of a page, with what is needed to select it. */
export interface PageElement {
  parent: PageElement | null;
  name: string;
  attributes: Record<string, string>;
  /** Simple selectors that match it, the most durable ones first. */
  handles: string[];
  /** Text with plain spaces; null if it is longer than asked for. */
  text: string | null;
}

/** Reads the elements of a page, in their order. Takes bounded time and memory for any text. */
export function readElements(html: string, maxTextChars: number): PageElement[] {
  const elements: PageElement[] = [];
  const open: OpenElement[] = [];
  let isOver = false;
  const close = () => {
    const inner = open.pop();
    // The parser also closes a tag that the end of the page cuts, and that was never open.
    if (!inner) return;
    const { element, text, isHidden } = inner;
    element.text = text === null ? null : plain(text);
    const outer = open.at(-1);
    if (outer && !isHidden) outer.text = joined(outer.text, text, maxTextChars);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isOver) return;
      const outer = open.at(-1);
      const nth = outer ? (outer.counts.get(name) ?? 0) + 1 : 1;
      outer?.counts.set(name, nth);
      const kept = firstOnes(attributes);
      const element = {
        parent: outer?.element ?? null,
        name,
        attributes: kept,
        handles: handlesOf(name, kept, nth),
        text: null,
      };
      elements.push(element);
      const isHidden = WITHOUT_TEXT.has(name);
      open.push({ element, text: isHidden ? null : '', counts: new Map(), isHidden });
      isOver = elements.length >= MAX_ELEMENTS || open.length >= MAX_DEPTH;
    },
    ontext(text) {
      const inner = open.at(-1);
      if (inner && !isOver) inner.text = joined(inner.text, text, maxTextChars);
    },
    onclosetag() {
      if (!isOver) close();
    },
  });
  for (let at = 0; at < html.length && !isOver; at += CHUNK_CHARS) parser.write(html.slice(at, at + CHUNK_CHARS));
  if (!isOver) parser.end();
  while (open.length > 0) close();
  return elements;
}

interface OpenElement {
  element: PageElement;
  /** Null if it is too long, or not shown. */
  text: string | null;
  /** Number of children with each name. */
  counts: Map<string, number>;
  isHidden: boolean;
}

/** Without those after the first ones, because a hostile element may have a hundred thousand. */
function firstOnes(attributes: Record<string, string>): Record<string, string> {
  const entries = Object.entries(attributes);
  return entries.length <= MAX_ATTRIBUTES ? attributes : Object.fromEntries(entries.slice(0, MAX_ATTRIBUTES));
}

/** Spaces count too, but a page may have many. */
const joined = (text: string | null, more: string | null, maxChars: number): string | null =>
  text === null || more === null || text.length + more.length > maxChars * 2 + 1_000 ? null : text + more;

/** Makes one space of all white space. */
export const plain = (text: string): string => (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
