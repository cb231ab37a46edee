import type { HeaderPair, KeptBody, KeptExchange } from '@trawl/contracts';

interface NameValue {
  name: string;
  value: string;
}

/** An HTTP archive of version 1.2, which the developer tools of browsers open. */
export interface Har {
  log: { version: '1.2'; creator: { name: string; version: string }; pages: []; entries: object[] };
}

export const harOf = (exchanges: KeptExchange[]): Har => ({
  log: { version: '1.2', creator: { name: 'Trawl', version: '1' }, pages: [], entries: exchanges.map(entryOf) },
});

function entryOf(exchange: KeptExchange): object {
  const { method, url, request_headers, response_headers, duration_ms, error, is_cut } = exchange;
  const type = headerOf(request_headers, 'content-type');
  const comment = [error, is_cut ? 'A body was cut.' : null].filter(text => text !== null).join(' ');
  return {
    startedDateTime: exchange.started_at,
    time: duration_ms ?? 0,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(request_headers),
      queryString: queryOf(url),
      ...(exchange.request_body && { postData: { mimeType: type, params: [], text: exchange.request_body.data } }),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: exchange.status ?? 0,
      statusText: exchange.status_text,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(response_headers),
      content: contentOf(exchange.body, headerOf(response_headers, 'content-type')),
      redirectURL: headerOf(response_headers, 'location'),
      headersSize: -1,
      bodySize: exchange.body_bytes,
      ...(error !== null && { _error: error }),
    },
    cache: {},
    timings: { send: 0, wait: duration_ms ?? 0, receive: 0 },
    ...(comment !== '' && { comment }),
  };
}

const contentOf = (body: KeptBody | null, mimeType: string): object => ({
  size: body ? Buffer.byteLength(body.data, body.encoding === 'text' ? 'utf8' : 'base64') : 0,
  mimeType,
  ...(body && { text: body.data, ...(body.encoding === 'base64' && { encoding: 'base64' }) }),
});

const pairsOf = (headers: HeaderPair[]): NameValue[] => headers.map(([name, value]) => ({ name, value }));

const headerOf = (headers: HeaderPair[], wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

function queryOf(url: string): NameValue[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
