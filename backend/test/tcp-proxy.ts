import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection of a client to the proxy, and the matching one to the server. */
type Pair = readonly [Socket, Socket];

/** A TCP proxy in front of a database. While it is closed, existing connections are cut and new ones are refused. */
export class TcpProxy {
  readonly #pairs = new Set<Pair>();
  #server: Server;
  #port = 0;
  #isPaused = false;

  private constructor(private readonly target: URL) {
    this.#server = createServer(socket => this.#join(socket));
  }

  static async start(target: URL): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.open();
    return proxy;
  }

  get url(): string {
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port: String(this.#port) }).toString();
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of [...this.#pairs].flat()) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** From now on everything waits until `resume`, as behind a server that is too slow. */
  pause(): void {
    this.#isPaused = true;
    for (const pair of this.#pairs) unpipe(pair);
  }

  resume(): void {
    this.#isPaused = false;
    for (const pair of this.#pairs) pipe(pair);
  }

  /**
   * From now on nothing passes on the present connections, not even the news that they are closed, as if a firewall had
   * forgotten them. New connections work.
   */
  stall(): void {
    for (const pair of this.#pairs) {
      unpipe(pair);
      for (const socket of pair) socket.removeAllListeners('close').resume();
    }
  }

  #join(socket: Socket): void {
    const { hostname, port } = this.target;
    const onward = connect(
      hostname.includes('%') ? { path: decodeURIComponent(hostname) } : { host: hostname, port: Number(port) },
    );
    const pair = [socket, onward] as const;
    this.#pairs.add(pair);
    for (const one of pair) {
      one
        .on('error', () => {})
        .on('close', () => {
          this.#pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
    }
    if (!this.#isPaused) pipe(pair);
  }
}

function pipe([one, other]: Pair): void {
  one.pipe(other);
  other.pipe(one);
}

function unpipe([one, other]: Pair): void {
  one.unpipe(other).pause();
  other.unpipe(one).pause();
}
