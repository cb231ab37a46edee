/** Suggests selectors in a thread, so it may import only what a thread can load: no services. */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { EVIDENCE_JSON_BYTES, type Evidence, type KeptExchange } from '@trawl/contracts';
import { rowsIn } from '../../../data/storage/values/rows-in-bson.js';
import type { Page } from './suggest/graded-page.js';
import { oldValues } from './suggest/old-values.js';
import { suggestSelectors } from './suggest/suggest-selectors.js';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

/** The pages of a run, and rows of the last good run. */
export interface SelectorTask {
  /** Gzipped JSON of `Evidence`. */
  evidence: Uint8Array;
  /** BSON documents, one after another. */
  rows: Uint8Array;
  field: string;
}

export interface FoundSelectors {
  items: { selector: string; attribute: string | null; pages: number; example: string }[];
  /** Number of HTML pages. */
  pages: number;
  /** Number of old values. */
  values: number;
}

export default function findSelectors({ evidence, rows, field }: SelectorTask): FoundSelectors {
  const json = gunzipSync(evidence, { maxOutputLength: EVIDENCE_JSON_BYTES }).toString();
  const { exchanges, page } = JSON.parse(json) as Evidence;
  const pages = exchanges.flatMap(pageOf);
  // A page whose scripts have run has more than the answer of its server.
  if (page?.html) pages.push({ url: page.url, html: page.html });
  const old = oldValues([...rowsIn(rows)], field);
  return { ...suggestSelectors(pages, old), values: old.values.length };
}

function pageOf({ url, status, body, response_headers }: KeptExchange): Page[] {
  const type = response_headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (body?.encoding !== 'text' || status === null || status >= 300) return [];
  return /html/i.test(type) || /^\s*<(?:!doctype html|html)/i.test(body.data) ? [{ url, html: body.data }] : [];
}
