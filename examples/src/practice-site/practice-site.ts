import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { practiceSiteApp } from './app.js';
import type { Layout } from './routes/layouts.js';

export interface PracticeSite {
  /** `http://host:port`, without a trailing slash. */
  url: string;
  port: number;
  /** Stops the server and closes all its connections. Resolves when the port is free. */
  close(): Promise<void>;
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function closeOnce(server: Server): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve, reject) => {
      server.close(error => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
    return closing;
  };
}

/** Where the shop listens, and the layout of its pages. */
export interface PracticeSiteOptions {
  host: string;
  port: number;
  layout?: Layout;
}

/**
 * Serves the shop at `host` and `port` (0 means any free port). Rejects with Node's error if it cannot listen, for
 * example `EADDRINUSE`.
 */
export async function startPracticeSite({ host, port, layout }: PracticeSiteOptions): Promise<PracticeSite> {
  const server = createServer(practiceSiteApp(layout));
  // Only clients close idle connections. With Node's default of 5 s, the shop may close one while a run that is slow to
  // store its rows sends the next request on it: `fetch` then fails with "other side closed".
  server.keepAliveTimeout = 0;
  const address = await listen(server, host, port);
  const hostInUrl = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${hostInUrl}:${address.port}`, port: address.port, close: closeOnce(server) };
}
