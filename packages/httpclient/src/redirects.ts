import type { Attempt } from './attempt.js';
import { isHttp } from './parse-address.js';

export interface Call {
  address: URL;
  method: string;
  headers: Headers;
  body: string | FormData | null;
  attempt: Attempt;
}

/** What `fetch` does with a redirect. */
export type Redirect = 'error' | 'follow' | 'manual';

/** Sends one request. */
export type Send = (call: Call, redirect: Redirect) => Promise<Response>;

/** After a redirect with one of these statuses, the next call has the same method and body. */
const KEEP_METHOD = new Set([307, 308]);
const FOLLOWED = new Set([301, 302, 303, ...KEEP_METHOD]);

/**
 * Headers with credentials for the called server. After a redirect to another origin, the client does not send them.
 */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * Returns whether this code runs in a page. A page cannot see the target of a redirect, so the browser must follow
 * redirects itself.
 */
const isPage = (): boolean => 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/**
 * Sends a call and follows at most `maxRedirects` redirects. After that, it returns the next redirect as the response.
 */
export async function callThroughRedirects(call: Call, maxRedirects: number, send: Send): Promise<Response> {
  if (isPage()) return send(call, maxRedirects > 0 ? 'follow' : 'error');
  let current = call;
  for (let followed = 0; ; followed++) {
    const response = await send(current, 'manual');
    const next = followed < maxRedirects ? redirected(current, response) : null;
    if (!next) return response;
    await response.body?.cancel();
    current = next;
  }
}

/**
 * Returns the call that follows a redirect, by the rules of browsers; null if the response is no redirect that can be
 * followed.
 */
function redirected(call: Call, { status, headers: answered }: Response): Call | null {
  const location = answered.get('location');
  if (!FOLLOWED.has(status) || location === null || !URL.canParse(location, call.address.href)) return null;
  const address = new URL(location, call.address);
  if (!isHttp(address)) return null;
  const headers = new Headers(call.headers);
  if (address.origin !== call.address.origin) for (const name of CREDENTIAL_HEADERS) headers.delete(name);
  if (KEEP_METHOD.has(status) || call.method === 'GET' || call.method === 'HEAD') return { ...call, address, headers };
  if (status !== 303 && call.method !== 'POST') return { ...call, address, headers };
  headers.delete('content-type');
  return { ...call, address, headers, method: 'GET', body: null };
}
