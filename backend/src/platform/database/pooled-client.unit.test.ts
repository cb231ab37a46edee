import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Pool } from 'pg';
import { PooledClient } from './pooled-client.js';

/** Builds a message of PostgreSQL's protocol: type, length (which includes its own 4 bytes), content. */
function message(letter: string, body: Buffer | string): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

const READY = [message('R', Buffer.alloc(4)), message('Z', 'I')];
const DYING = message('E', 'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0');

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await once(server, 'close');
});

it('a pooled connection whose server dies before its first query fails that query, not the backend', async () => {
  server = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.write(Buffer.concat([...READY, DYING])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new Pool({
    host: '127.0.0.1',
    port,
    user: 'trawl',
    database: 'trawl',
    password: '',
    Client: PooledClient,
  });
  pool.on('error', () => {});
  const client = await pool.connect();
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  await pool.end();
});
