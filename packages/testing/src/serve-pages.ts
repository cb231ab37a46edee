/// <reference lib="esnext.disposable" preserve="true" />
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';

/**
 * A page: HTML text, a value that becomes JSON, a Response, or a function that returns one of them for a request. The
 * function is called for each request, so that it may answer differently the second time.
 */
export type Page = string | object | ((request: Request) => unknown);

/** Pages by their path, such as `/books` or `/books?page=2`. A path without `?` is also for requests with one. */
export type Pages = Record<string, Page>;

export interface ServedRequest {
  method: string;
  /** With the query, such as `/books?page=2`. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface PageServer extends AsyncDisposable {
  /** Address of the server, such as `http://127.0.0.1:41234`. */
  url: string;
  /** The requests so far, in order. */
  requests: ServedRequest[];
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
};

/**
 * Serves pages on the loopback address of this computer. The server keeps no test from ending.
 *
 * @param pages what to serve for each path
 * @param options.folder folder whose files are served for all other paths; `/` is its index.html
 */
export async function servePages(pages: Pages, { folder }: { folder?: string } = {}): Promise<PageServer> {
  const wrong = Object.keys(pages).find(path => !path.startsWith('/'));
  if (wrong !== undefined) throw new TypeError(`servePages: the path ${JSON.stringify(wrong)} must begin with /.`);
  const requests: ServedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    answer(incoming, pages, folder, requests)
      .catch(error => new Response(`servePages: ${error?.stack ?? error}`, { status: 500 }))
      .then(response => send(response, outgoing));
  });
  // Neither the server nor a connection that the skript keeps open may delay the end of the test.
  server.unref().on('connection', socket => socket.unref());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close, [Symbol.asyncDispose]: close };
}

async function answer(
  incoming: IncomingMessage,
  pages: Pages,
  folder: string | undefined,
  requests: ServedRequest[],
): Promise<Response> {
  const { method = 'GET', url: path = '/' } = incoming;
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  const body = await buffer(incoming);
  requests.push({ method, path, headers: Object.fromEntries(headers), body: body.toString() });
  const url = new URL(path, `http://${incoming.headers.host}`);
  const page = [path, url.pathname].find(name => Object.hasOwn(pages, name));
  if (page !== undefined) {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(url, { method, headers: headers as [string, string][], ...(hasBody && { body }) });
    return responseOf(pages[page], request);
  }
  const file = folder === undefined ? null : await readFrom(resolve(folder), decodeURIComponent(url.pathname));
  if (file) return file;
  const known = Object.keys(pages).join(', ');
  return new Response(
    `servePages has no page ${path}. It has: ${known}${folder ? ` and the files in ${folder}` : ''}`,
    {
      status: 404,
      headers: { 'content-type': 'text/plain' },
    },
  );
}

async function responseOf(page: unknown, request: Request): Promise<Response> {
  const value = typeof page === 'function' ? await page(request) : page;
  // A body can be read once, and the page may be served again.
  if (value instanceof Response) return value.clone();
  if (typeof value === 'string')
    return new Response(value, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  if (value !== undefined) return Response.json(value);
  throw new TypeError(`the function of the page ${request.url} returned nothing. Return text, JSON or a Response.`);
}

/** Returns a file of a folder; null if there is none. */
async function readFrom(folder: string, path: string): Promise<Response | null> {
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  if (!file.startsWith(folder + sep)) return null;
  const content = await readFile(file).catch(() => null);
  const type = TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
  return content && new Response(content, { headers: { 'content-type': type } });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
