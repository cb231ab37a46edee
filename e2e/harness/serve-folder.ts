import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';

export interface ServedFolder {
  /** `http://127.0.0.1:port` */
  url: string;
  port: number;
  /** Closes all connections; resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Serves the files of `folder` on the loopback address. The URL of `page.html` works without `.html`, too. By default
 * the system chooses the port.
 */
export async function serveFolder(folder: string, wantedPort = 0): Promise<ServedFolder> {
  const app = express()
    .disable('x-powered-by')
    .use((request, _response, next) => {
      // A page that has pages below it also has a folder of the same name. Serve the page, because express would choose
      // the folder.
      if (existsSync(join(folder, `${request.path}.html`))) request.url = `${request.path}.html`;
      next();
    })
    .use(express.static(folder));
  const server = createServer(app);
  // Never close idle connections: a client that uses one at that moment would get an error.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.close(error => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, close };
}
