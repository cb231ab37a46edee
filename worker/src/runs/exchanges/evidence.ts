import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  EVIDENCE_JSON_BYTES,
  type Evidence,
  EXCHANGE_LIMITS,
  type Exchange,
  type HeaderPair,
  type KeptBody,
  type KeptExchange,
  type PageSeen,
} from '@trawl/contracts';
import { HIDDEN, isCredentialHeader, withoutAddressCredentials } from '../../redaction/credentials.js';
import type { Redaction } from '../../redaction/redaction.js';
import { decompressed, keptBody } from './decoded-body.js';
import type { RunExchanges } from './run-exchanges.js';

const compress = promisify(gzip);

/** Redaction knows a cut text by this end, and then also hides the beginning of a secret there. */
const CUT = '… [cut: here]';

/** Bodies of the exchanges that still fit. */
interface Room {
  bytes: number;
}

/** Returns what a run saw last as gzipped JSON of `Evidence`: decompressed, and without the secrets of the run. */
export async function evidenceOf({ exchanges, page }: RunExchanges, redaction: Redaction): Promise<Buffer> {
  const room: Room = { bytes: EXCHANGE_LIMITS.runBytes };
  const kept: KeptExchange[] = [];
  // The last exchanges come first, because a decompressed body may take the room of others.
  for (const exchange of [...exchanges].reverse()) {
    kept.unshift(await keptExchange(exchange, redaction, room));
    // Redaction of large bodies takes long.
    await nextTurn();
  }
  const evidence: Evidence = { exchanges: kept, page: page && redactedPage(page, redaction) };
  const json = JSON.stringify(evidence);
  if (json.length <= EVIDENCE_JSON_BYTES / 6 || Buffer.byteLength(json) <= EVIDENCE_JSON_BYTES) return compress(json);
  // Only bodies of control characters are so long as JSON.
  const withoutBodies = kept.map(exchange => ({ ...exchange, request_body: null, body: null, is_cut: true }));
  return compress(JSON.stringify({ ...evidence, exchanges: withoutBodies }));
}

async function keptExchange(exchange: Exchange, redaction: Redaction, room: Room): Promise<KeptExchange> {
  const { request_body: sent, body: received, is_cut, request_headers, response_headers, ...rest } = exchange;
  const isDecoded = exchange.via === 'browser';
  const kept = async (bytes: Uint8Array, headers: readonly HeaderPair[]) => {
    if (bytes.length === 0) return { body: null, isCut: false };
    const plain = isDecoded ? { bytes, isCut: false } : await decompressed(bytes, headers, EXCHANGE_LIMITS.bodyBytes);
    if (!plain || plain.bytes.length > room.bytes) return { body: null, isCut: true };
    room.bytes -= plain.bytes.length;
    const isCut = is_cut || plain.isCut;
    return { body: redactedBody(keptBody(plain.bytes, headers, isCut), redaction, isCut), isCut };
  };
  const [body, request] = [await kept(received, response_headers), await kept(sent, request_headers)];
  return {
    ...rest,
    url: limitedText(rest.url, redaction, EXCHANGE_LIMITS.urlChars),
    status_text: limitedText(rest.status_text, redaction, EXCHANGE_LIMITS.headerChars),
    error: rest.error === null ? null : limitedText(rest.error, redaction, EXCHANGE_LIMITS.errorChars),
    request_headers: redactedHeaders(request_headers, redaction),
    response_headers: redactedHeaders(response_headers, redaction),
    request_body: request.body,
    body: body.body,
    is_cut: is_cut || body.isCut || request.isCut,
  };
}

/** Redacts a text that the run has cut at this length. It may be an address, or contain one. */
const limitedText = (text: string, redaction: Redaction, limit: number): string =>
  redactedText(withoutAddressCredentials(text), redaction, text.length >= limit).slice(0, limit);

const redactedHeaders = (headers: readonly HeaderPair[], redaction: Redaction): HeaderPair[] =>
  headers.map(([name, value]) => [
    limitedText(name, redaction, EXCHANGE_LIMITS.headerChars),
    isCredentialHeader(name) ? HIDDEN : limitedText(value, redaction, EXCHANGE_LIMITS.headerChars),
  ]);

function redactedBody({ encoding, data }: KeptBody, redaction: Redaction, isCut: boolean): KeptBody {
  if (encoding === 'text') return { encoding, data: redactedText(data, redaction, isCut) };
  // Each byte is a character, so that secrets are found between other bytes.
  const text = redactedText(Buffer.from(data, 'base64').toString('latin1'), redaction, isCut);
  return { encoding, data: Buffer.from(text, 'latin1').toString('base64') };
}

function redactedText(text: string, redaction: Redaction, isCut: boolean): string {
  if (!isCut || redaction.isEmpty) return redaction.text(text);
  return redaction.text(text + CUT).slice(0, -CUT.length);
}

const redactedPage = (page: PageSeen, redaction: Redaction): PageSeen => ({
  title: limitedText(page.title, redaction, EXCHANGE_LIMITS.pageTextChars),
  url: limitedText(page.url, redaction, EXCHANGE_LIMITS.pageTextChars),
  picture: page.picture,
  html: page.html === null ? null : redactedText(page.html, redaction, true).slice(0, 100_000),
  console: page.console.map(({ type, text }) => ({
    type,
    text: limitedText(text, redaction, EXCHANGE_LIMITS.pageTextChars),
  })),
});
