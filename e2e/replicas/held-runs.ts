import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** Number of echoes of each run. The run writes the last one after it was released. */
export const ECHOES = 4;

/** The skript of the test: it connects to the receiver, and returns its input when the receiver releases it. */
export const heldSkript = (port: number): Record<string, string> => ({
  'main.js': `
const { connect } = require('node:net');
const { echo } = require('@trawl/echo');
module.exports = n => new Promise((resolve, reject) => {
  const socket = connect(${port}, '127.0.0.1');
  socket.on('error', reject);
  for (let line = 1; line < ${ECHOES}; line += 1) echo.log('line ' + line);
  socket.once('data', () => {
    echo.log('line ${ECHOES}');
    socket.destroy();
    resolve(n);
  });
  socket.write(trawl.execution_id + '\\n');
});
`,
});

/** Counts how often each run is executed, and holds the runs that began until the test releases them. */
export class HeldRuns {
  /** How often each run was executed. */
  readonly executions = new Map<string, number>();
  readonly #sockets = new Map<string, Socket>();
  readonly #begins = new EventEmitter().setMaxListeners(0);

  private constructor(private readonly server: Server) {
    server.on('connection', socket => {
      socket.on('error', () => {}); // the run was killed
      let received = '';
      socket.on('data', bytes => {
        received += bytes;
        if (received.endsWith('\n')) this.#begin(received.trim(), socket);
      });
    });
  }

  static async open(): Promise<HeldRuns> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HeldRuns(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resolves when the run has begun. */
  async began(run: string): Promise<void> {
    if (!this.executions.has(run)) await once(this.#begins, run);
  }

  /** Lets a run that has begun end. */
  release(run: string): void {
    this.#sockets.get(run)?.write('go\n');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.values()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #begin(run: string, socket: Socket): void {
    this.executions.set(run, (this.executions.get(run) ?? 0) + 1);
    this.#sockets.set(run, socket);
    this.#begins.emit(run);
  }
}
