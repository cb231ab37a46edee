// @ts-check
// Sends a number of echoes over a bare WebSocket, in frames of a given size.
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket } from 'ws';

const [port, echoes, perFrame] = process.argv.slice(2).map(Number);
/** The sender pauses when the socket has more than this number of unsent bytes in its buffer. */
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
