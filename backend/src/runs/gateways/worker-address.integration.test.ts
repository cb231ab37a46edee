import { PROTOCOL, WORKER_NAMESPACE } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';

const { app, admin } = appForFile({ settings: { trustedProxies: ['127.0.0.1'] } });
const fleet = fleetForEachTest(app);

/** Says hello through a proxy that names this address. */
async function helloFrom(forwardedFor: string): Promise<Socket> {
  const socket = io(app.url + WORKER_NAMESPACE, {
    transports: ['websocket'],
    auth: { key: fleet.key },
    extraHeaders: { 'x-forwarded-for': forwardedFor },
    reconnection: false,
    forceNew: true,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  const hello = {
    protocol: PROTOCOL,
    version: '1',
    environments: ['nodejs'],
    sandbox: 'none',
    sandbox_layers: [],
    slots: 1,
  };
  const boot = { boot_id: '0190f7a2-0000-7000-8000-000000000001', live: [], done: [] };
  await socket.timeout(60_000).emitWithAck('hello', { ...hello, ...boot });
  return socket;
}

it('the IP address shown for a worker is the one from the trusted proxy, not one that the worker claims', async () => {
  const socket = await helloFrom('198.51.100.1, 203.0.113.7');
  const { body } = await admin('GET', `/joint-api/workers/${fleet.workerId}`);
  expect(body.ip_address).toBe('203.0.113.7');
  await expect(fleet.connect({ previous_boot_id: null })).rejects.toThrow('from 203.0.113.7.');
  socket.disconnect();
});
