import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Length of a message's header: its type, and its length without the type. */
const HEADER_BYTES = 5;

/** Proxy in front of PostgreSQL that notes each statement that passes, by PostgreSQL's protocol 3.0. */
export class StatementCounter {
  /** The texts of the statements that were executed, in their order. */
  readonly executed: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly target: URL) {
    this.#server = createServer(client => this.#join(client));
  }

  static async open(target: string): Promise<StatementCounter> {
    const counter = new StatementCounter(new URL(target));
    counter.#server.listen(0, '127.0.0.1');
    await once(counter.#server, 'listening');
    return counter;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port: String(port) }).toString();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const { hostname, port } = this.target;
    const server = connect(
      hostname.includes('%') ? { path: decodeURIComponent(hostname) } : { host: hostname, port: Number(port) },
    );
    const messages = new ClientMessages(text => this.executed.push(text));
    client.on('data', bytes => messages.take(bytes));
    client.pipe(server).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket
        .on('error', () => {}) // the close event follows
        .on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
    }
  }
}

/** Splits what a client sends into messages and finds the statements in them. */
class ClientMessages {
  readonly #prepared = new Map<string, string>();
  #rest: Buffer = Buffer.alloc(0);
  #hasStarted = false;
  #bound = '';

  constructor(private readonly execute: (text: string) => void) {}

  take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    if (!this.#hasStarted) {
      // The first message has no type.
      if (this.#rest.length < HEADER_BYTES) return;
      const length = this.#rest.readUInt32BE(0);
      if (this.#rest.length < length) return;
      this.#rest = this.#rest.subarray(length);
      this.#hasStarted = true;
    }
    while (this.#rest.length >= HEADER_BYTES) {
      const end = 1 + this.#rest.readUInt32BE(1);
      if (this.#rest.length < end) return;
      this.#read(String.fromCharCode(this.#rest[0] as number), this.#rest.subarray(HEADER_BYTES, end));
      this.#rest = this.#rest.subarray(end);
    }
  }

  #read(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (type === 'Q') this.execute(first);
    else if (type === 'P') this.#prepared.set(first, second);
    else if (type === 'B') this.#bound = second;
    else if (type === 'E') this.execute(this.#prepared.get(this.#bound) ?? this.#bound);
  }
}
