import { once } from 'node:events';
import { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import { TLSSocket } from 'node:tls';
import { connectArguments, OWN_LOOPBACK } from '../network/connect-arguments.js';
import { type ConnectSocket, connectBy } from '../network/connect-by.js';
import { egressHint } from '../network/egress-hint.js';
import { closeWhenIdle } from './close-when-idle.js';
import { addressOf, openThroughProxy, ProxyFailure, type Target } from './open-through-proxy.js';
import { type PoolChoice, type PooledProxy, type PoolPlatform, ProxyPool } from './proxy-pool.js';
import { ProxyUsage } from './proxy-usage.js';
import { UndiciConnects } from './undici-connects.js';

/** The proxies that the skript's field `proxy` or a call of `proxy()` chooses for a run. */
export interface ProxyChoice extends PoolChoice {
  session?: string;
}

/** Each connection is tried through at most so many proxies. */
const MAX_TRIES = 3;
/** A proxy has so long to open a connection. `fetch` waits 10 s in all. */
const OPEN_MS = 5_000;
/** After this time, a run asks again for the proxies of its pool. */
const REFRESH_MS = 60_000;
/** Such a host can be in CONNECT, and be looked up. */
const HOST = /^[\x21-\x7e]{1,253}$/;

interface TakenPool {
  pool: Promise<ProxyPool>;
  since: number;
}

/** Opens the TCP connections of a run through the proxies that it has chosen. */
export class ProxiedConnections {
  readonly #platform: PoolPlatform;
  readonly #warn: (text: string) => void;
  readonly #connectDirectly = Socket.prototype.connect as ConnectSocket;
  readonly #usage: ProxyUsage;
  #choice: ProxyChoice | null = null;
  /** The session of a sticky pool if the skript names none. */
  #ownSession = '';
  #pools = new Map<string, TakenPool>();
  /** Connections of the current choice. */
  #sockets = new Set<Socket>();
  readonly #warnings = new Set<string>();

  constructor(platform: PoolPlatform, warn: (text: string) => void) {
    this.#platform = platform;
    this.#warn = warn;
    this.#usage = new ProxyUsage(totals => this.#report(totals));
  }

  /** Changes `net`, and so also `tls`, `http`, `fetch` and all libraries that use them. */
  install(): void {
    const { connections, connectDirectly } = { connections: this, connectDirectly: this.#connectDirectly };
    const undici = new UndiciConnects();
    const connect: ConnectSocket = function (...args) {
      const [options, listener] = connectArguments(args);
      const { path, port, host = 'localhost' } = options;
      if (path || !isPort(port) || OWN_LOOPBACK.test(host)) return connectDirectly.apply(this, args);
      connections.#track(this);
      if (!connections.#choice) return connectDirectly.apply(this, args);
      if (listener) this.once('connect', listener);
      const target = { host, port: Number(port) };
      const speaksFirst = this instanceof TLSSocket || undici.isConnecting(host, target.port);
      const open = async (signal: AbortSignal) => ({
        // `http` hands its request to the socket after this call.
        socket: await connections.#open(target, signal, () => speaksFirst || '_httpMessage' in this),
        address: host,
      });
      void connectBy(this, options, open, connectDirectly);
      return this;
    };
    Socket.prototype.connect = connect as typeof Socket.prototype.connect;
  }

  /** Begins a run. */
  start(runId: string): void {
    this.#pools = new Map();
    this.#warnings.clear();
    this.#usage.forget();
    this.#ownSession = runId;
    this.#change(null);
  }

  /**
   * Connects through other proxies from now on; null: directly. Open connections end with their requests.
   *
   * @throws Error if the platform has no such proxies
   */
  async choose(choice: ProxyChoice | null): Promise<void> {
    this.#change(choice);
    if (choice) await this.#poolOf(choice);
  }

  /** Reports what the run has used. Call it at its end. */
  finish(): Promise<void> {
    return this.#usage.flush();
  }

  /** Opens a connection for a program that cannot say why it failed. */
  async openForBrowser(host: string, port: number): Promise<Socket> {
    if (this.#choice && !OWN_LOOPBACK.test(host)) {
      try {
        return await this.#open({ host, port }, new AbortController().signal, () => false);
      } catch (error) {
        const text = (error as Error).message;
        if (!this.#warnings.has(text) && this.#warnings.size < 20) this.#warn(text);
        this.#warnings.add(text);
        throw error;
      }
    }
    const socket = new Socket({ allowHalfOpen: true });
    this.#connectDirectly.call(socket, { host, port });
    await once(socket, 'connect');
    return socket;
  }

  #change(choice: ProxyChoice | null): void {
    this.#choice = choice;
    for (const socket of this.#sockets) closeWhenIdle(socket);
    this.#sockets = new Set();
  }

  #track(socket: Socket): void {
    const sockets = this.#sockets;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  async #open(target: Target, signal: AbortSignal, clientSpeaksFirst: () => boolean): Promise<Socket> {
    const choice = this.#choice as ProxyChoice;
    if (!HOST.test(target.host)) throw failure(`getaddrinfo ENOTFOUND ${target.host}`, 'ENOTFOUND');
    const pool = await this.#poolOf(choice);
    const session = choice.session ?? (pool.isSticky ? this.#ownSession : null);
    const tried = new Set<PooledProxy>();
    /** Proxies that failed, perhaps because of the target. If another one reaches the target, it is because of them. */
    const suspects: PooledProxy[] = [];
    const reasons: string[] = [];
    let cause: unknown;
    let hint = '';
    while (tried.size < MAX_TRIES) {
      const proxy = pool.choose(session, tried);
      if (!proxy) break;
      tried.add(proxy);
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), OPEN_MS);
      try {
        const socket = await openThroughProxy(proxy.url, target, {
          connectDirectly: this.#connectDirectly,
          signal: AbortSignal.any([signal, limit.signal]),
          connected: opened => this.#usage.watch(proxy.id, opened),
          clientSpeaksFirst,
        });
        for (const suspect of suspects) this.#failed(pool, suspect);
        pool.succeeded(proxy, session);
        this.#usage.add(proxy.id, 'connections');
        return socket;
      } catch (error) {
        if (signal.aborted || !(error instanceof ProxyFailure)) throw error;
        if (error.mayBeTarget) suspects.push(proxy);
        else this.#failed(pool, proxy);
        const { host, port } = addressOf(proxy.url);
        reasons.push(`${host}:${port}: ${error.message}`);
        cause = error;
        hint = egressHint(error) ?? hint;
      } finally {
        clearTimeout(timer);
      }
    }
    const text = `No proxy of the pool "${choice.pool}" opened a connection to ${target.host}:${target.port}. ${reasons.join('; ')}.${hint.replace(/^ +/, ' ')}`;
    throw failure(text, 'ECONNREFUSED', cause);
  }

  #failed(pool: ProxyPool, proxy: PooledProxy): void {
    pool.failed(proxy);
    this.#usage.add(proxy.id, 'failures');
  }

  async #poolOf({ pool: name, country, tier }: PoolChoice): Promise<ProxyPool> {
    const wanted: PoolChoice = { pool: name, ...(country && { country }), ...(tier && { tier }) };
    const key = JSON.stringify(wanted);
    const pools = this.#pools;
    const known = pools.get(key);
    if (known) {
      if (known.since < performance.now() - REFRESH_MS) void this.#refresh(known, wanted);
      return known.pool;
    }
    const pool = this.#platform.take(wanted).then(taken => new ProxyPool(taken));
    pools.set(key, { pool, since: performance.now() });
    try {
      return await pool;
    } catch (error) {
      pools.delete(key);
      throw failure(`Trawl has no proxies for this run: ${(error as Error).message}`, 'ECONNREFUSED', error);
    }
  }

  async #refresh(known: TakenPool, wanted: PoolChoice): Promise<void> {
    known.since = performance.now();
    try {
      (await known.pool).update(await this.#platform.take(wanted));
    } catch {
      // The run continues with the proxies that it has.
    }
  }

  async #report(totals: Parameters<PoolPlatform['report']>[0]): Promise<void> {
    const resting = await this.#platform.report(totals);
    for (const { pool } of this.#pools.values()) {
      for (const { id, rest_ms } of resting) (await pool).rest(id, rest_ms);
    }
  }
}

const isPort = (port: unknown): boolean => Number(port) >= 1 && Number(port) <= 65_535;

const failure = (text: string, code: string, cause?: unknown): Error =>
  Object.assign(new Error(text, { cause }), { code, syscall: 'connect' });
