import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  server.close();
  await once(server, 'close');
  return address.port;
}
