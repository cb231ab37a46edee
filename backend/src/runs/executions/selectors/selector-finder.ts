/** Suggests selectors in a thread, so it may import only what a thread can load: no services. */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { EVIDENCE_JSON_BYTES, type Evidence, type KeptExchange } from '@trawl/contracts';
import { rowsIn } from '../../../data/storage/values/rows-in-bson.js';
import { oldValues } from './suggest/old-values.js';
import type { Page } from './suggest/read-page.js';
import { type RowSuggestions, suggestRows } from './suggest/suggest-rows.js';
import { suggestSelectors } from './suggest/suggest-selectors.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** The pages of a run, and rows of the last good run. */
interface PagesAndRows {
  /** Gzipped JSON of `Evidence`. */
  evidence: Uint8Array;
  /** BSON documents, one after another. */
  rows: Uint8Array;
}

export interface SelectorTask extends PagesAndRows {
  field: string;
}

export interface RowTask extends PagesAndRows {
  /** Rows of the run itself, as BSON documents. */
  stored: Uint8Array;
}

export interface FoundSelectors {
  items: { selector: string; attribute: string | null; pages: number; example: string }[];
  /** Number of HTML pages. */
  pages: number;
  /** Number of old values. */
  values: number;
}

export function findSelectors({ evidence, rows, field }: SelectorTask): FoundSelectors {
  const old = oldValues([...rowsIn(rows)], field);
  return { ...suggestSelectors(pagesIn(evidence), old), values: old.values.length };
}

export const findRows = ({ evidence, rows, stored }: RowTask): RowSuggestions =>
  suggestRows(pagesIn(evidence), [...rowsIn(rows)], [...rowsIn(stored)]);

function pagesIn(evidence: Uint8Array): Page[] {
  const json = gunzipSync(evidence, { maxOutputLength: EVIDENCE_JSON_BYTES }).toString();
  const { exchanges, page } = JSON.parse(json) as Evidence;
  const pages = exchanges.flatMap(pageOf);
  // A page whose scripts have run has more than the answer of its server.
  if (page?.html) pages.push({ url: page.url, html: page.html });
  return pages;
}

function pageOf({ url, status, body, response_headers }: KeptExchange): Page[] {
  const type = response_headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (body?.encoding !== 'text' || status === null || status >= 300) return [];
  return /html/i.test(type) || /^\s*<(?:!doctype html|html)/i.test(body.data) ? [{ url, html: body.data }] : [];
}
