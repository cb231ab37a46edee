import { randomUUID } from 'node:crypto';
import { PROTOCOL, WORKER_NAMESPACE } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
const run = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

/** A message as a later version could send it. */
const UNKNOWN = { added_later: { deep: [1, null, 'text'] } };

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});

/** Says hello with exactly these fields. */
async function sayHello(hello: object): Promise<any> {
  const socket = io(app.url + WORKER_NAMESPACE, {
    transports: ['websocket'],
    auth: { key: fleet.key },
    reconnection: false,
    forceNew: true,
  });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return socket.timeout(60_000).emitWithAck('hello', hello);
}

/** The fields that each `hello` must have. */
const ofProtocol = (protocol: number) => ({
  protocol,
  version: '0.0.1',
  boot_id: randomUUID(),
  environments: ['nodejs'],
  sandbox: 'reduced',
  sandbox_layers: [],
  slots: 2,
  live: [],
  done: [],
});

it('the backend accepts workers of the previous and of the next protocol version', async () => {
  expect(await sayHello(ofProtocol(PROTOCOL - 1))).toMatchObject({ epoch: 1, protocol: PROTOCOL - 1, kill: [] });
  sockets[0]?.disconnect();
  await fleet.untilOffline();
  expect(await sayHello({ ...ofProtocol(PROTOCOL + 1), ...UNKNOWN })).toMatchObject({
    epoch: 2,
    protocol: PROTOCOL,
  });
});

it.each([
  [PROTOCOL - 2, 'Update the worker to the version of Trawl that the platform has.'],
  [PROTOCOL + 2, 'Update the platform to the version of Trawl that the worker has.'],
])('the backend refuses a worker of protocol version %d and says which side to update', async (protocol, advice) => {
  // The rest of the message may have changed so much that this version cannot read it.
  const { error } = await sayHello({ protocol, ...UNKNOWN });
  expect(error).toMatchObject({ code: 'unsupported_protocol', message: expect.stringContaining(advice) });
  expect((await developer('GET', `/joint-api/workers/${fleet.workerId}`)).body.status).toBe('offline');
});

it('the backend refuses a worker that names no protocol version, and says to update it', async () => {
  const { protocol, ...unnumbered } = ofProtocol(1);
  const advice = expect.stringContaining('Update the worker to the version of Trawl that the platform has.');
  expect((await sayHello(unnumbered)).error).toMatchObject({ code: 'unsupported_protocol', message: advice });
});

it('the backend ignores unknown fields in every message of a worker', async () => {
  const worker = await fleet.connect({
    ...UNKNOWN,
    sandbox_layers: [{ name: 'egress', holds: true, note: 'nftables', ...UNKNOWN }],
  });
  const { body } = await fleet.start();
  const { id } = await worker.offers.next();
  const { epoch } = worker.welcome;
  const usage = { cpu: 0.5, memory_used: 1, memory_total: 2, ...UNKNOWN };
  expect(await worker.send('beat', { epoch, n: 1, free: 1, load: 0, usage, ...UNKNOWN })).toEqual({ n: 1 });
  expect(await worker.send('state', { epoch, id, seq: 1, waiting_for: null, ...UNKNOWN })).toEqual({ seq: 1 });
  expect(await worker.chunk(id, 1, 1, ['one'], UNKNOWN)).toEqual({ n: 1 });
  expect(await worker.finish(id, { last_seq: 1, last_chunk: 1, ...UNKNOWN })).toEqual({ result: 'ok' });
  expect(await run(body.id)).toMatchObject({ action: 'end', output: { done: true } });
});

it('the backend refuses storage operations with unknown options', async () => {
  const worker = await fleet.connect();
  const { body } = await fleet.start();
  const { token } = await worker.offers.next();
  const op = { collection: 'books', method: 'find', args: Buffer.alloc(0), resend: false };
  const frame = { epoch: worker.welcome.epoch, id: body.id, op_id: 1, token, op: { ...op, ...UNKNOWN } };
  expect((await worker.send('storage', frame)).error.code).toBe('invalid_frame');
  await worker.finish(body.id);
});
