// @ts-check
// Stand-ins for workers: they connect with the key of a group, send heartbeats, and end each run at once without running
// it. Prints "connected" when all are.
//     node workers.mjs URL KEY COUNT SLOTS
import { randomUUID } from 'node:crypto';
import { leaseTimes, PROTOCOL, WORKER_NAMESPACE } from '@trawl/contracts';
import { io } from 'socket.io-client';

const CONNECT_AT_ONCE = 10;
const ANSWER_WITHIN_MS = 60_000;

const [url, key, count, slots] = process.argv.slice(2);

/** Resolves when the worker has its lease. */
function connect() {
  const socket = io(url + WORKER_NAMESPACE, { transports: ['websocket'], auth: { key }, forceNew: true });
  const boot_id = randomUUID();
  let epoch = -1;
  let n = 0;
  let isBeating = false;
  const beat = async () => {
    const of = epoch;
    const { error } = await ask('beat', { epoch, n: ++n, free: Number(slots), load: 0 });
    // On a busy machine a lease may expire.
    if (error && of === epoch) await hello();
  };
  const ask = (/** @type {string} */ event, /** @type {object} */ frame) =>
    socket
      .timeout(ANSWER_WITHIN_MS)
      .emitWithAck(event, frame)
      .catch(() => ({}));
  const hello = async () => {
    const welcome = await ask('hello', {
      protocol: PROTOCOL,
      version: '0.0.0-bench',
      boot_id,
      environments: ['nodejs'],
      sandbox: 'full',
      sandbox_layers: [],
      slots: Number(slots),
      live: [],
      done: [],
    });
    if (welcome.epoch === undefined) return; // The connection was lost, or the next heartbeat tries again.
    epoch = welcome.epoch;
    if (!isBeating) setInterval(beat, leaseTimes(welcome.lease_ms).heartbeatMs);
    isBeating = true;
  };
  socket.on('offer', ({ id }, acknowledge) => {
    acknowledge({ accepted: true });
    // The backend ignores frames without an acknowledgement.
    void ask('finish', {
      epoch,
      id,
      action: 'end',
      output: '1',
      error_code: null,
      error_stack: null,
      last_seq: 0,
      last_chunk: 0,
    });
  });
  return new Promise(resolve => socket.on('connect', () => hello().then(resolve)));
}

for (let left = Number(count); left > 0; left -= CONNECT_AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(left, CONNECT_AT_ONCE) }, connect));
console.log('connected');
