import { io } from 'socket.io-client';

const { TRAWL_URL, TRAWL_KEY } = process.env;
const id = process.argv[2];
let seen = 0;
/** Runs steps one after the other, so that echoes are printed in order. */
let last = Promise.resolve();
const next = act => {
  last = last.then(act).catch(error => {
    console.error(error.message);
    process.exit(1);
  });
};

async function get(path) {
  const response = await fetch(TRAWL_URL + path, { headers: { Authorization: `Bearer ${TRAWL_KEY}` } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error_message);
  return answer;
}

function print({ seq, type, msg }) {
  if (seq <= seen) return;
  seen = seq;
  console.log(seq, type, msg);
}

/**
 * Prints all new echoes. The API returns the saved echoes, and also those that the worker has not yet sent to be saved.
 */
async function printSaved() {
  for (let more = true; more; ) {
    const { items, next_after_seq } = await get(`/joint-api/echoes/${id}/list?after_seq=${seen}&limit=500`);
    items.forEach(print);
    more = next_after_seq !== null;
  }
}

async function endIfOver() {
  // Do nothing if an earlier step has closed the connection.
  if (!live.active) return;
  const { action } = await get(`/joint-api/skript-execution/${id}`);
  if (action === 'start' || action === 'pause') return;
  await printSaved();
  console.log(`The run has ended: ${action}`);
  live.close();
}

const live = io(`${TRAWL_URL}/live`, { transports: ['websocket'], auth: { token: TRAWL_KEY } });
// On each connection and reconnection, print the missed echoes first.
live.on('connect', () =>
  next(async () => {
    const { ok, error_message } = await live.timeout(10_000).emitWithAck('watch', { execution_id: id, on: true });
    if (!ok) throw new Error(error_message);
    await printSaved();
    await endIfOver();
  }),
);
live.on('connect_error', error => console.error(`Not connected: ${error.message}`));
live.on('echoes', ({ from_seq, items }) =>
  next(async () => {
    if (from_seq > seen + 1) await printSaved();
    items.forEach(print);
  }),
);
live.on('execution', ({ id: changed }) => {
  if (changed === id) next(endIfOver);
});
