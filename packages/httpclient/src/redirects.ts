import { isHttp } from './address.js';

export interface Call {
  address: URL;
  method: string;
  headers: Headers;
  body: string | FormData | null;
  signal: AbortSignal;
}

const SENT_AGAIN = new Set([307, 308]);
const FOLLOWED = new Set([301, 302, 303, ...SENT_AGAIN]);

/** Meant for the server that was called, and for no other one that it names. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/** A page is not shown where a redirect leads, so that there it cannot be followed by hand. */
const isPage = (): boolean => 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/** Calls, and follows at most `maxRedirects` redirects; the response past the limit is the redirect itself. */
export async function callThroughRedirects(call: Call, maxRedirects: number): Promise<Response> {
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

const send = ({ address, method, headers, body, signal }: Call, redirect: 'error' | 'follow' | 'manual') =>
  fetch(address, { method, headers, body, signal, redirect });

/** The call that a redirect asks for, as browsers understand it; null when it asks for none that can be made. */
function redirected(call: Call, { status, headers: answered }: Response): Call | null {
  const location = answered.get('location');
  if (!FOLLOWED.has(status) || location === null || !URL.canParse(location, call.address.href)) return null;
  const address = new URL(location, call.address);
  if (!isHttp(address)) return null;
  const headers = new Headers(call.headers);
  if (address.origin !== call.address.origin) for (const name of PRIVATE_HEADERS) headers.delete(name);
  if (SENT_AGAIN.has(status) || call.method === 'GET' || call.method === 'HEAD') return { ...call, address, headers };
  if (status !== 303 && call.method !== 'POST') return { ...call, address, headers };
  headers.delete('content-type');
  return { ...call, address, headers, method: 'GET', body: null };
}
