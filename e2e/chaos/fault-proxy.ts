/**
 * Proxy between workers and the backend that drops, doubles and delays whole Socket.IO messages: events and
 * acknowledgements. Pings, connection packets and HTTP calls pass unchanged.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/**
 * The proxy's treatment of a message. `again`: forward it now, and again after this many ms. `delay`: forward it after
 * this many ms, and all later messages of the connection after it.
 */
export type Fate = 'pass' | 'drop' | { again: number } | { delay: number };

export interface ProxiedMessage {
  /** The proxy numbers its connections from 0, in the order in which they were opened. */
  connection: number;
  from: 'worker' | 'backend';
  /** Name of the event. For an acknowledgement, this is the event that it acknowledges. */
  event: string;
  isAcknowledgement: boolean;
}

export interface FaultProxyOptions {
  /** Address of the backend, `http://…`. */
  target: string;
  fate: (message: ProxiedMessage) => Fate;
}

/**
 * Matches a Socket.IO packet in Engine.IO: type (event 2, acknowledgement 3; binary 5, 6), parts, namespace, number,
 * payload.
 */
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
      const link = new Link(worker, backend, this.#connections++, message => this.#options.fate(message));
      this.#links.add(link);
      link.closed.then(() => this.#links.delete(link));
    });
  }

  /** Starts a proxy that listens on a free port of the loopback address. */
  static async open(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    proxy.#http.listen(0, '127.0.0.1');
    await once(proxy.#http, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Breaks all open connections. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /**
   * From now on nothing passes on the open connections, not even the news that they are closed. So both sides believe
   * that they are still connected.
   */
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
    // If the connection to the backend fails, break the connection of the caller, too.
    onward.on('error', () => response.destroy());
    incoming.on('error', () => onward.destroy()).pipe(onward);
  }
}

/** A worker's connection and the matching connection to the backend. */
class Link {
  readonly closed: Promise<unknown>;
  readonly #sockets: readonly [WebSocket, WebSocket];
  #stalled = false;

  constructor(worker: WebSocket, backend: WebSocket, connection: number, fate: (message: ProxiedMessage) => Fate) {
    this.#sockets = [worker, backend];
    const opened = once(backend, 'open').catch(() => {});
    // The names of events by their number. An acknowledgement has only the number of its event.
    const eventNames = { worker: new Map<string, string>(), backend: new Map<string, string>() };
    const describe = (from: ProxiedMessage['from'], [, type, , number = '', rest = '']: string[]): ProxiedMessage => {
      const isAcknowledgement = type === '3' || type === '6';
      const event = isAcknowledgement
        ? eventNames[from === 'worker' ? 'backend' : 'worker'].get(number)
        : EVENT.exec(rest)?.[1];
      if (!isAcknowledgement && event !== undefined) eventNames[from].set(number, event);
      return { connection, from, event: event ?? '', isAcknowledgement };
    };
    this.#carry(worker, backend, opened, packet => fate(describe('worker', packet)));
    this.#carry(backend, worker, opened, packet => fate(describe('backend', packet)));
    this.closed = Promise.all(this.#sockets.map(socket => new Promise(resolve => socket.once('close', resolve))));
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  stall(): void {
    this.#stalled = true;
  }

  #carry(from: WebSocket, to: WebSocket, opened: Promise<unknown>, fate: (packet: string[]) => Fate): void {
    const send = (message: Frame[]) => {
      if (this.#stalled || to.readyState !== WebSocket.OPEN) return;
      for (const { data, isBinary } of message) to.send(data, { binary: isBinary });
    };
    let previous = opened;
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
      const outcome = packet ? fate(packet) : 'pass';
      previous = previous.then(async () => {
        if (outcome === 'drop') return;
        if (typeof outcome === 'object' && 'delay' in outcome) await sleep(outcome.delay);
        send(whole);
        if (typeof outcome === 'object' && 'again' in outcome) setTimeout(() => send(whole), outcome.again).unref();
      });
    };
    from.on('message', (data, isBinary) => take({ data, isBinary }));
    from.on('error', () => {}); // the close event follows
    from.on('close', () => {
      if (!this.#stalled) previous.then(() => to.terminate());
    });
  }
}

function packetOf({ data, isBinary }: Frame): RegExpExecArray | null {
  return isBinary ? null : PACKET.exec(data.toString());
}
