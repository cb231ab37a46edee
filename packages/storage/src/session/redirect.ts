/** After a redirect with one of these statuses, the next call has the same method and body. */
const KEEP_METHOD = new Set([307, 308]);
const FOLLOWED = new Set([301, 302, 303, ...KEEP_METHOD]);
/** Headers with credentials for the called server. After a redirect to another origin, they are not sent. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

interface Call {
  url: URL;
  method: string;
  headers: Headers;
  body?: unknown;
}

/**
 * Returns the call that follows an answer, by the rules of browsers; null if the answer is no redirect that can be
 * followed.
 */
export function followed<C extends Call>(call: C, { status, headers: answered }: Response): C | null {
  const location = answered.get('location');
  if (!FOLLOWED.has(status) || location === null || !URL.canParse(location, call.url.href)) return null;
  const url = new URL(location, call.url);
  if (!/^https?:$/.test(url.protocol)) return null;
  const headers = new Headers(call.headers);
  if (url.origin !== call.url.origin) for (const name of CREDENTIAL_HEADERS) headers.delete(name);
  const method = call.method.toUpperCase();
  if (KEEP_METHOD.has(status) || method === 'GET' || method === 'HEAD') return { ...call, url, headers };
  if (status !== 303 && method !== 'POST') return { ...call, url, headers };
  for (const name of BODY_HEADERS) headers.delete(name);
  return { ...call, url, headers, method: 'GET', body: undefined };
}
