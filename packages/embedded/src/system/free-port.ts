import { once } from 'node:events';
import { createServer } from 'node:net';

/** Finds a free TCP port on 127.0.0.1. Another program may take the port before the caller uses it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system did not assign a port.');
  server.close();
  await once(server, 'close');
  return address.port;
}
