import type { Dispatcher } from 'undici';

/**
 * Returns a `fetch` that sends requests through a proxy.
 *
 * @throws {TypeError} unless `proxyUrl` is an http: or https: URL; the message leaves it out, as it may hold a password
 */
export function fetchThrough(proxyUrl: string): (request: Request) => Promise<Response> {
  const { origin, token } = parseProxyUrl(proxyUrl);
  // Loading undici takes a while, and most clients have no proxy. Node's own `fetch` contains another version of undici,
  // which does not work with this ProxyAgent.
  const undici = require('undici') as typeof import('undici');
  // undici takes a SocketError for the end of an idle connection, and would connect again and again to a proxy that
  // closes each connection.
  const clientFactory = (proxy: URL, options: object): Dispatcher => {
    const pool = new undici.Pool(proxy, options);
    const connect = (request: Dispatcher.ConnectOptions) =>
      pool.connect(request).catch(cause => {
        throw new Error('The proxy opened no tunnel', { cause });
      });
    return { connect, close: () => pool.close(), destroy: () => pool.destroy() } as unknown as Dispatcher;
  };
  // Proxies often refuse tunnels for http: calls, so the agent opens them only for https: calls.
  const dispatcher = new undici.ProxyAgent({ uri: origin, proxyTunnel: false, token, clientFactory });
  return async request => {
    const { url, method, headers, signal, redirect } = request;
    // undici does not recognize Node's own FormData, so it gets the bytes.
    const body = request.body && new Uint8Array(await request.arrayBuffer());
    const options = { method, headers: [...headers] as [string, string][], body, signal, redirect, dispatcher };
    return (await undici.fetch(url, options)) as unknown as Response;
  };
}

function parseProxyUrl(proxyUrl: string): { origin: string; token: string | undefined } {
  try {
    const { protocol, origin, username, password } = new URL(proxyUrl);
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const token = credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (/^https?:$/.test(protocol)) return { origin, token };
  } catch {
    // The error of `URL` would show the password.
  }
  throw new TypeError('proxyUrl must be an http: or https: URL, such as http://proxy.example.com:8080');
}
