import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parser as saxParser } from 'sax';
import type { Answer } from './answer.js';
import { contentText } from './content-text.js';

/** A page that a sitemap lists. */
export interface SitemapEntry {
  url: string;
  /** When the page changed last, as the sitemap says it; null if it says nothing. */
  lastmod: string | null;
}

export interface SitemapOptions {
  /** The reader stops after so many pages. Default: 50,000. */
  maxUrls?: number;
  /** How many files it reads: an index names others. Default: 500. */
  maxFiles?: number;
}

/** How deep indexes of sitemaps may be nested. The protocol allows one level; some sites have more. */
const MAX_DEPTH = 3;
/** How many elements may be open at once. For each close tag without an open tag, the parser compares all of them. */
const MAX_OPEN_ELEMENTS = 50;
/** A sitemap needs no such declaration, and the parser copies all of it for each character. */
const OTHER_DECLARATION = /<(?=\s*!(?!--|\[CDATA\[|DOCTYPE))/gi;
/** After so many characters the parser lets the event loop do something else. */
const CHARS_AT_ONCE = 64 * 1024;
const GZIP = [0x1f, 0x8b];

interface Parsed {
  pages: SitemapEntry[];
  sitemaps: string[];
}

/**
 * Yields the pages of a sitemap and of all sitemaps that it names, each page once.
 *
 * @param read reads a file
 * @param maxBytes of an unpacked file
 * @throws {Error} that names the file that cannot be read, or the limit that an index exceeds
 */
export async function* readSitemap(
  url: string,
  read: (url: string) => Promise<Answer<Uint8Array | null>>,
  { maxUrls, maxFiles, maxBytes }: Required<SitemapOptions> & { maxBytes: number },
): AsyncGenerator<SitemapEntry, void> {
  const files = [{ url, depth: 0 }];
  const known = new Set([url]);
  const seen = new Set<string>();
  let left = maxUrls;
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index] as (typeof files)[number];
    const { pages, sitemaps } = await parse(await textOf(file.url, await read(file.url), maxBytes), file.url);
    for (const page of pages) {
      if (seen.has(page.url)) continue;
      if (left === 0) return;
      seen.add(page.url);
      left -= 1;
      yield page;
    }
    for (const named of sitemaps) {
      if (known.has(named)) continue;
      if (file.depth === MAX_DEPTH)
        throw new Error(`Sitemap ${file.url}: indexes are nested deeper than ${MAX_DEPTH} levels.`);
      if (files.length === maxFiles)
        throw new Error(`Sitemap ${url}: it consists of more than ${maxFiles} files. Raise maxFiles.`);
      known.add(named);
      files.push({ url: named, depth: file.depth + 1 });
    }
  }
}

async function textOf(url: string, answer: Answer<Uint8Array | null>, maxBytes: number): Promise<string> {
  const { status, statusMessage, content, headers } = answer;
  if (status < 200 || status > 299) throw new Error(`Sitemap ${url}: ${status} ${statusMessage}`);
  const bytes = content ?? new Uint8Array();
  if (bytes[0] !== GZIP[0] || bytes[1] !== GZIP[1]) return contentText(bytes, headers['content-type'] ?? '');
  try {
    return contentText(await promisify(gunzip)(bytes, { maxOutputLength: maxBytes }), 'application/xml');
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(
      `Sitemap ${url}: ${isLarge ? `unpacked, it is larger than ${maxBytes} bytes` : 'it is not valid gzip'}.`,
    );
  }
}

/** Parses an index, a list of pages, or a text file with an address in each line. */
async function parse(text: string, base: string): Promise<Parsed> {
  if (text.trimStart().startsWith('<')) return parseXml(text, base);
  const lines = text.split(/\r\n|\r|\n/).flatMap(line => addressOf(line, base, /^https?:/i));
  return { pages: lines.map(url => ({ url, lastmod: null })), sitemaps: [] };
}

/**
 * Parses XML, and expands no entities of a DTD.
 *
 * @throws {Error} if elements are nested too deep
 */
async function parseXml(text: string, base: string): Promise<Parsed> {
  const found: Parsed = { pages: [], sitemaps: [] };
  /** Names of the open elements, without their prefixes. */
  const open: string[] = [];
  let fields: Record<string, string> = {};
  // Not strict: sitemaps with small errors, such as a bare `&`, are common.
  const parser = saxParser(false, { lowercase: true });
  parser.onerror = () => {
    parser.resume();
  };
  parser.onopentag = ({ name }) => {
    open.push(localName(name));
    if (open.length > MAX_OPEN_ELEMENTS)
      throw new Error(`Sitemap ${base}: its elements are nested deeper than ${MAX_OPEN_ELEMENTS} levels.`);
    if (isEntry(open.at(-1))) fields = {};
  };
  parser.ontext = parser.oncdata = part => {
    const name = open.at(-1) as string;
    // Images and videos of a page have a `loc` of their own, deeper below.
    if (isEntry(open.at(-2))) fields[name] = (fields[name] ?? '') + part;
  };
  parser.onclosetag = () => {
    const name = open.pop();
    if (!isEntry(name)) return;
    for (const url of addressOf(fields.loc ?? '', base)) {
      if (name === 'sitemap') found.sitemaps.push(url);
      else found.pages.push({ url, lastmod: fields.lastmod?.trim() || null });
    }
  };
  const xml = text.replace(OTHER_DECLARATION, '&lt;');
  for (let at = 0; at < xml.length; at += CHARS_AT_ONCE) {
    parser.write(xml.slice(at, at + CHARS_AT_ONCE));
    await setImmediate();
  }
  parser.close();
  return found;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
const isEntry = (name: string | undefined): boolean => name === 'url' || name === 'sitemap';

/** Returns a text as an absolute address; an empty array unless it is an `http:` or `https:` address in this form. */
function addressOf(text: string, base: string, form = /\S/): string[] {
  const trimmed = text.trim();
  if (!form.test(trimmed) || !URL.canParse(trimmed, base)) return [];
  const { href, protocol } = new URL(trimmed, base);
  return /^https?:$/.test(protocol) ? [href] : [];
}
