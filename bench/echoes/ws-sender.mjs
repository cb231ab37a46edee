// @ts-check
// Sends so many echoes over a bare WebSocket, so many in a frame.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket } from 'ws';

const [port, echoes, perFrame] = process.argv.slice(2).map(Number);
/** What the socket may hold before the sender waits for it. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

const socket = new WebSocket(`ws://127.0.0.1:${port}`);
await once(socket, 'open');
/** @type {{ type: string, msg: string, time: string, seq: number }[]} */
let frame = [];
for (let seq = 1; seq <= Number(echoes); seq++) {
  frame.push({ type: 'log', msg: `echo number ${seq}`, time: new Date().toISOString(), seq });
  if (frame.length < Number(perFrame) && seq < Number(echoes)) continue;
  socket.send(JSON.stringify(frame));
  frame = [];
  while (socket.bufferedAmount > MAX_BUFFERED_BYTES) await turn();
}
socket.close();
