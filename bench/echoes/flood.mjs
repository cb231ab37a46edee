// @ts-check
// A skript that sends many echoes, and a viewer that counts them.
import { once } from 'node:events';
import { LIVE_NAMESPACE } from '@trawl/contracts';
import { io } from 'socket.io-client';

/**
 * Returns a skript that sends echoes as fast as possible. First it waits 1.5 s, so that the viewer is connected by then.
 * @param {number} echoes
 */
export const floodOf = echoes => `const { echo } = require('@trawl/echo');
module.exports = async () => {
  await new Promise(done => setTimeout(done, 1_500));
  for (let n = 1; n <= ${echoes}; n += 1) {
    echo.log('echo number ' + n);
    if (n % 1_000 === 0) await new Promise(setImmediate);
  }
};`;

/**
 * @typedef {object} Seen
 * @property {number} echoes
 * @property {number} gaps
 * @property {number} batches
 * @property {number} seconds between the first and the last echo
 * @property {number[]} delays latency of each timed echo, in ms
 */

/**
 * Watches a run like the panel until it ends.
 * @param {{ url: string, token: string }} platform @param {string} id @param {boolean} timed
 * @returns {Promise<Seen>}
 */
export async function watch({ url, token }, id, timed) {
  const socket = io(url + LIVE_NAMESPACE, { transports: ['websocket'], auth: { token }, forceNew: true });
  await once(/** @type {any} */ (socket), 'connect');
  let [next, gaps, echoes, batches, first, last] = [1, 0, 0, 0, 0, 0];
  /** @type {number[]} */
  const delays = [];
  const over = new Promise(resolve => {
    socket.on('execution', update => {
      if (update.id === id && update.action !== 'start') resolve(undefined);
    });
  });
  socket.on('echoes', ({ from_seq, items }) => {
    last = performance.now();
    first ||= last;
    if (from_seq !== next) gaps += 1;
    next = from_seq + items.length;
    echoes += items.length;
    batches += 1;
    if (timed) for (const { msg } of items) delays.push(Number(process.hrtime.bigint() - BigInt(msg)) / 1e6);
  });
  await socket.emitWithAck('watch', { execution_id: id, on: true });
  await over;
  socket.disconnect();
  return { echoes, gaps, batches, seconds: (last - first) / 1_000, delays };
}
