/**
 * Records which runs really begin, independently of the platform: each run opens a connection to this server, sends its
 * id, and keeps the connection open. So the connection ends when the run's process ends, even if the process is killed.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * The test's skript. It echoes `line 1` to `line <lines>` within `ms` milliseconds, and returns `lines`. If `stores` is
 * true, it also stores a document for each line.
 */
export const marking = (port: number): Record<string, string> => ({
  'main.js': `
const { connect } = require('node:net');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');
module.exports = async ({ chain, lines, ms, stores }) => {
  const socket = connect(${port}, '127.0.0.1');
  const order = await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the marks server is gone')));
    socket.on('data', data => {
      for (const word of String(data).trim().split('\\n')) {
        if (word === 'alive?') socket.write('yes\\n');
        else resolve(word);
      }
    });
    socket.write(JSON.stringify({ run: trawl.execution_id, chain }) + '\\n');
  });
  for (let line = 1; line <= lines; line += 1) {
    echo.log('line ' + line);
    if (stores) await mongo.collection('chaos').insertOne({ run: trawl.execution_id, line });
    await new Promise(resolve => setTimeout(resolve, ms / lines));
  }
  socket.destroy();
  if (order === 'fail') throw new Error('failed as planned');
  return lines;
};
`,
});

/**
 * A run that has begun. A chain is a run and its retries; `tries` is the number of runs of the chain that have begun,
 * including this one.
 */
export interface Begun {
  run: string;
  chain: number;
  tries: number;
}

interface LiveRun {
  run: string;
  socket: Socket;
}

export class Marks {
  /** How often each run began. */
  readonly begun = new Map<string, number>();
  /** Runs of one chain that were live at the same time. */
  readonly overlaps: { chain: number; runs: string[] }[] = [];
  readonly #live = new Map<number, Set<LiveRun>>();
  readonly #tries = new Map<number, number>();
  readonly #server: Server;

  private constructor(failures: (chain: number) => number, onBegin: (begun: Begun) => void) {
    this.#server = createServer(socket => {
      socket.on('error', () => {}); // the run was killed
      let received = '';
      const listen = (bytes: Buffer) => {
        received += bytes;
        if (!received.endsWith('\n')) return;
        socket.off('data', listen);
        const mark = JSON.parse(received) as { run: string; chain: number };
        const tries = this.#begin(socket, mark);
        socket.write(tries <= failures(mark.chain) ? 'fail\n' : 'go\n');
        onBegin({ ...mark, tries });
      };
      socket.on('data', listen);
    });
  }

  /**
   * @param failures returns how many runs of a chain must fail
   * @param onBegin called when a run has begun
   */
  static async open(failures: (chain: number) => number, onBegin: (begun: Begun) => void): Promise<Marks> {
    const marks = new Marks(failures, onBegin);
    marks.#server.listen(0, '127.0.0.1');
    await once(marks.#server, 'listening');
    return marks;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const chain of this.#live.values()) for (const { socket } of chain) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** @returns how many runs of the chain have begun, including this one */
  #begin(socket: Socket, { run, chain }: { run: string; chain: number }): number {
    const before = [...(this.#live.get(chain) ?? [])];
    const live = { run, socket };
    this.#live.set(chain, new Set([...before, live]));
    socket.once('close', () => this.#live.get(chain)?.delete(live));
    for (const other of before) void this.#recordOverlap(chain, other, run);
    this.begun.set(run, (this.begun.get(run) ?? 0) + 1);
    const tries = (this.#tries.get(chain) ?? 0) + 1;
    this.#tries.set(chain, tries);
    return tries;
  }

  /**
   * Records an overlap if the earlier run still answers. An open connection does not prove that the run is live,
   * because the end of a connection may arrive late; an answer proves it.
   */
  async #recordOverlap(chain: number, { run, socket }: LiveRun, later: string): Promise<void> {
    const answered = once(socket, 'data').then(
      () => true,
      () => false,
    );
    const closed = new Promise<boolean>(resolve => socket.once('close', () => resolve(false)));
    if (socket.destroyed) return;
    socket.write('alive?\n');
    if (await Promise.race([answered, closed])) this.overlaps.push({ chain, runs: [run, later] });
  }
}
