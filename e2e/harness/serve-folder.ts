import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
    .use(express.static(folder, { extensions: ['html'] }));
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
