/**
 * Stands between workers and the backend, and loses, doubles and delays what they say to each other: whole messages of
 * Socket.IO, events and acknowledgements. What only keeps the connection up passes. Calls over HTTP pass as they are.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** What becomes of a message. `again`: it comes once more, so many ms later; what is delayed holds up all behind it. */
export type Fate = 'pass' | 'drop' | { again: number } | { delay: number };

export interface Said {
  /** Which connection through this proxy, from 0. */
  connection: number;
  from: 'worker' | 'backend';
  /** Of an acknowledgement, the event that it answers. */
  event: string;
  isAnswer: boolean;
}

export interface FaultProxyOptions {
  /** Address of the backend, `http://…`. */
  target: string;
  fate: (said: Said) => Fate;
}

/** Of Socket.IO inside of Engine.IO: event 2, acknowledgement 3, with binary parts 5 and 6; parts, namespace, number, rest. */
const PACKET = /^4([2356])(?:(\d+)-)?(?:\/[^,]*,)?(\d*)(\[.*)$/s;
const EVENT = /^\["([^"]*)"/;

interface Frame {
  data: RawData;
  isBinary: boolean;
}

export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #http: Server;
  readonly #links = new Set<Link>();
  #connections = 0;

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#http = createServer((incoming, response) => this.#pass(incoming, response));
    const sockets = new WebSocketServer({ server: this.#http, perMessageDeflate: false });
    sockets.on('connection', (worker, { url }) => {
      const backend = new WebSocket(`${this.#options.target.replace(/^http/, 'ws')}${url}`, {
        perMessageDeflate: false,
      });
      const link = new Link(worker, backend, this.#connections++, said => this.#options.fate(said));
      this.#links.add(link);
      link.over.then(() => this.#links.delete(link));
    });
  }

  /** Listens on a port of loopback. */
  static async open(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    proxy.#http.listen(0, '127.0.0.1');
    await once(proxy.#http, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Breaks all connections that there are. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** From now on nothing passes over the connections that there are, not even their end: both sides take them to be there. */
  stall(): void {
    for (const link of this.#links) link.stall();
  }

  async close(): Promise<void> {
    for (const link of this.#links) link.cut();
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = incoming;
    const onward = request(`${this.#options.target}${url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response).on('error', () => answer.destroy());
      answer.on('error', () => response.destroy());
    });
    // As a line that breaks.
    onward.on('error', () => response.destroy());
    incoming.on('error', () => onward.destroy()).pipe(onward);
  }
}

/** One connection of a worker, and the one to the backend that belongs to it. */
class Link {
  readonly over: Promise<unknown>;
  readonly #sockets: readonly [WebSocket, WebSocket];
  #stalled = false;

  constructor(worker: WebSocket, backend: WebSocket, connection: number, fate: (said: Said) => Fate) {
    this.#sockets = [worker, backend];
    const isOpen = once(backend, 'open').catch(() => {});
    // By the number that an acknowledgement has of it.
    const asked = { worker: new Map<string, string>(), backend: new Map<string, string>() };
    const said = (from: Said['from'], [, type, , number = '', rest = '']: string[]): Said => {
      const isAnswer = type === '3' || type === '6';
      const event = isAnswer ? asked[from === 'worker' ? 'backend' : 'worker'].get(number) : EVENT.exec(rest)?.[1];
      if (!isAnswer && event !== undefined) asked[from].set(number, event);
      return { connection, from, event: event ?? '', isAnswer };
    };
    this.#carry(worker, backend, isOpen, packet => fate(said('worker', packet)));
    this.#carry(backend, worker, isOpen, packet => fate(said('backend', packet)));
    this.over = Promise.all(this.#sockets.map(socket => new Promise(resolve => socket.once('close', resolve))));
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  stall(): void {
    this.#stalled = true;
  }

  #carry(from: WebSocket, to: WebSocket, begun: Promise<unknown>, fate: (packet: string[]) => Fate): void {
    const send = (message: Frame[]) => {
      if (this.#stalled || to.readyState !== WebSocket.OPEN) return;
      for (const { data, isBinary } of message) to.send(data, { binary: isBinary });
    };
    let before = begun;
    let message: Frame[] = [];
    let partsToCome = 0;
    const take = (frame: Frame) => {
      if (partsToCome > 0) partsToCome -= 1;
      else {
        message = [];
        partsToCome = Number(packetOf(frame)?.[2] ?? 0);
      }
      message.push(frame);
      if (partsToCome > 0) return;
      const whole = message;
      const packet = packetOf(whole[0] as Frame);
      const becomes = packet ? fate(packet) : 'pass';
      before = before.then(async () => {
        if (becomes === 'drop') return;
        if (typeof becomes === 'object' && 'delay' in becomes) await pause(becomes.delay);
        send(whole);
        if (typeof becomes === 'object' && 'again' in becomes) setTimeout(() => send(whole), becomes.again).unref();
      });
    };
    from.on('message', (data, isBinary) => take({ data, isBinary }));
    from.on('error', () => {}); // its close says so
    from.on('close', () => {
      if (!this.#stalled) before.then(() => to.terminate());
    });
  }
}

function packetOf({ data, isBinary }: Frame): RegExpExecArray | null {
  return isBinary ? null : PACKET.exec(data.toString());
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
