import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { appForFile } from '../../../test/test-app.js';
import { until } from '../../../test/until.js';

const MAX_SIGNING_IN = 32;
const { app } = appForFile();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens a WebSocket that does not sign in, and returns the backend's answer to the handshake. */
async function open(): Promise<{ socket: Socket; answer: string }> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  sockets.push(socket);
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n${key}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { socket, answer: answer.toString() };
}

test('an IP address may have 32 open connections that have not signed in', async () => {
  const opened = await Promise.all(Array.from({ length: MAX_SIGNING_IN }, open));
  expect(opened.filter(({ answer }) => answer.includes(' 101 '))).toHaveLength(MAX_SIGNING_IN);
  expect((await open()).answer).toContain('32 connections of your address have not signed in yet');

  // A frame that is no packet of Socket.IO makes the backend close the connection. The client ignores that.
  const isClosing = opened.map(({ socket }) =>
    until(
      () => once(socket, 'data'),
      ([data]) => data.includes(0x88),
    ),
  );
  for (const { socket } of opened) socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]));
  await Promise.all(isClosing);
  expect((await open()).answer).toContain('have not signed in yet');

  for (const { socket } of opened) socket.destroy();
  await until(open, ({ answer }) => answer.includes(' 101 '));
});
