import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';

export interface ServedFolder {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  url: string;
  port: number;
  /** Ends open connections too; resolves when the port is free. */
  close(): Promise<void>;
}

/** Serves the files of `folder` on loopback, `page.html` also as `/page`, at a port that the system chooses. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const app = express()
    .disable('x-powered-by')
    .use((request, _response, next) => {
      // A page with pages below it stands beside a folder of its name, which would be taken for it.
      if (existsSync(join(folder, `${request.path}.html`))) request.url = `${request.path}.html`;
      next();
    })
    .use(express.static(folder));
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.close(error => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, close };
}
