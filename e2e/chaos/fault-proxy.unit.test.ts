import { EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { type Fate, FaultProxy, type ProxiedMessage } from './fault-proxy.js';

let http: HttpServer;
let backend: Server;
let proxy: FaultProxy;
let worker: Socket;
let fate: (message: ProxiedMessage) => Fate;
const proxiedMessages: ProxiedMessage[] = [];
/** Emits `message` for each message that the proxy has seen. */
const proxied = new EventEmitter();
/** The messages that the backend has received, in order. */
let received: unknown[];

beforeEach(async () => {
  received = [];
  proxiedMessages.length = 0;
  fate = () => 'pass';
  http = createServer((request, response) => request.pipe(response));
  backend = new Server(http, { transports: ['websocket'] });
  backend.of('/worker').on('connection', socket => {
    socket.on('send', (what, acknowledge?: (answer: unknown) => void) => {
      received.push(what);
      acknowledge?.(what);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const target = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  proxy = await FaultProxy.open({
    target,
    fate: one => {
      proxiedMessages.push(one);
      proxied.emit('message');
      return fate(one);
    },
  });
  worker = io(`${proxy.url}/worker`, { transports: ['websocket'], reconnection: false });
  await connected();
});

afterEach(async () => {
  worker.disconnect();
  await proxy.close();
  await backend.close();
});

const connected = () => new Promise<void>(resolve => worker.once('connect', resolve));
/** Resolves when the backend has received all earlier messages. */
const flush = async () => {
  fate = () => 'pass';
  await worker.emitWithAck('send', 'flush');
};

test('the fault proxy passes messages both ways, with their binary parts, and reports each by its event name', async () => {
  const bytes = Buffer.from([0, 255, 10]);
  expect(await worker.emitWithAck('send', { bytes, text: '["send"' })).toEqual({ bytes, text: '["send"' });
  expect(proxiedMessages).toEqual([
    { connection: 0, from: 'worker', event: 'send', isAcknowledgement: false },
    { connection: 0, from: 'backend', event: 'send', isAcknowledgement: true },
  ]);
});

test('the fault proxy drops a message completely, and no other message with it', async () => {
  fate = () => 'drop';
  for (const what of [{ bytes: Buffer.from('lost') }, 'lost too']) worker.emit('send', what);
  while (proxiedMessages.length < 2) await once(proxied, 'message');
  await flush();
  expect(received).toEqual(['flush']);
  expect(worker.connected).toBe(true);
});

test('the fault proxy doubles a message, and a message that it delays also delays those behind it', async () => {
  const fates: Fate[] = [{ delay: 30 }, { again: 0 }];
  fate = ({ from }) => (from === 'worker' && fates.shift()) || 'pass';
  await Promise.all(['first', Buffer.from('second')].map(what => worker.emitWithAck('send', what)));
  await flush();
  const second = Buffer.from('second');
  expect(received.slice(0, 2)).toEqual(['first', second]);
  expect(received.filter(what => Buffer.isBuffer(what))).toEqual([second, second]);
});

test('the fault proxy cuts a connection on both sides, or stalls it without closing it', async () => {
  const lost = new Promise(resolve => worker.once('disconnect', resolve));
  proxy.cut();
  await lost;
  worker.connect();
  await connected();
  proxy.stall();
  const before = proxiedMessages.length;
  worker.emit('send', 'never arrives');
  while (proxiedMessages.length === before) await once(proxied, 'message');
  expect(worker.connected).toBe(true);
  expect(backend.of('/worker').sockets.size).toBe(1);
  expect(received).toEqual([]);
});

test('the fault proxy passes HTTP calls unchanged, and without a backend the call fails as a broken connection', async () => {
  const response = await fetch(`${proxy.url}/bundles`, { method: 'POST', body: 'as it is' });
  expect(await response.text()).toBe('as it is');
  await backend.close();
  await expect(fetch(`${proxy.url}/bundles`)).rejects.toThrow('fetch failed');
});
