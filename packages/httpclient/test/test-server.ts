import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Starts a server on the loopback address. */
export async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Makes the server a proxy: it gets CONNECT requests. */
    onConnect: (listener: (request: IncomingMessage, socket: Duplex) => void) =>
      server.removeAllListeners('connect').on('connect', listener),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a function that starts servers; each is closed after its test. */
export function testServers() {
  const servers: Awaited<ReturnType<typeof startServer>>[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return async (listener: RequestListener): Promise<string> => {
    const server = await startServer(listener);
    servers.push(server);
    return server.url;
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
