import { EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { type Fate, FaultProxy, type Said } from './fault-proxy.js';

let http: HttpServer;
let backend: Server;
let proxy: FaultProxy;
let worker: Socket;
let fate: (said: Said) => Fate;
const said: Said[] = [];
/** Says `message` for each that the proxy has seen. */
const proxied = new EventEmitter();
/** What the backend has heard, in order. */
let heard: unknown[];

beforeEach(async () => {
  heard = [];
  said.length = 0;
  fate = () => 'pass';
  http = createServer((request, response) => request.pipe(response));
  backend = new Server(http, { transports: ['websocket'] });
  backend.of('/worker').on('connection', socket => {
    socket.on('tell', (what, acknowledge?: (answer: unknown) => void) => {
      heard.push(what);
      acknowledge?.(what);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const target = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  proxy = await FaultProxy.open({
    target,
    fate: one => {
      said.push(one);
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
/** What was told before it has been heard when this is answered. */
const flush = async () => {
  fate = () => 'pass';
  await worker.emitWithAck('tell', 'flush');
};

test('what is said passes both ways, binary parts too, and is told by name', async () => {
  const bytes = Buffer.from([0, 255, 10]);
  expect(await worker.emitWithAck('tell', { bytes, text: '["tell"' })).toEqual({ bytes, text: '["tell"' });
  expect(said).toEqual([
    { connection: 0, from: 'worker', event: 'tell', isAnswer: false },
    { connection: 0, from: 'backend', event: 'tell', isAnswer: true },
  ]);
});

test('a message is lost as a whole, and nothing else with it', async () => {
  fate = () => 'drop';
  for (const what of [{ bytes: Buffer.from('lost') }, 'lost too']) worker.emit('tell', what);
  while (said.length < 2) await once(proxied, 'message');
  await flush();
  expect(heard).toEqual(['flush']);
  expect(worker.connected).toBe(true);
});

test('a message comes twice, and what is delayed holds up what is behind it', async () => {
  const fates: Fate[] = [{ delay: 30 }, { again: 0 }];
  fate = ({ from }) => (from === 'worker' && fates.shift()) || 'pass';
  await Promise.all(['first', Buffer.from('second')].map(what => worker.emitWithAck('tell', what)));
  await flush();
  const second = Buffer.from('second');
  expect(heard.slice(0, 2)).toEqual(['first', second]);
  expect(heard.filter(what => Buffer.isBuffer(what))).toEqual([second, second]);
});

test('a connection is cut for both, or stands and carries nothing any more', async () => {
  const lost = new Promise(resolve => worker.once('disconnect', resolve));
  proxy.cut();
  await lost;
  worker.connect();
  await connected();
  proxy.stall();
  const before = said.length;
  worker.emit('tell', 'into nothing');
  while (said.length === before) await once(proxied, 'message');
  expect(worker.connected).toBe(true);
  expect(backend.of('/worker').sockets.size).toBe(1);
  expect(heard).toEqual([]);
});

test('calls over HTTP pass as they are, and a backend that is not there is a broken line', async () => {
  const response = await fetch(`${proxy.url}/bundles`, { method: 'POST', body: 'as it is' });
  expect(await response.text()).toBe('as it is');
  await backend.close();
  await expect(fetch(`${proxy.url}/bundles`)).rejects.toThrow('fetch failed');
});
