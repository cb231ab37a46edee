import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a database. While it is closed, existing connections are cut and new ones are refused. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

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
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(socket: Socket): void {
    const { hostname, port } = this.target;
    const onward = connect(
      hostname.includes('%') ? { path: decodeURIComponent(hostname) } : { host: hostname, port: Number(port) },
    );
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one
        .on('error', () => {})
        .on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
    }
  }
}
