/**
 * The marks that runs leave outside the platform: each begins by opening a connection here, says which run it is, and
 * holds the connection as long as it goes on, so that it ends with the run's process however that ends.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/**
 * What a run of the test does, as the files of a skript: says `line 1` … `line <lines>`, in `ms`, stores each if it is to,
 * and returns `lines`.
 */
export const marking = (port: number): Record<string, string> => ({
  'main.js': `
const { connect } = require('node:net');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');
module.exports = async ({ chain, lines, ms, stores }) => {
  const socket = connect(${port}, '127.0.0.1');
  const told = await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the marks are gone')));
    socket.on('data', data => {
      for (const word of String(data).trim().split('\\n')) {
        if (word === 'there?') socket.write('yes\\n');
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
  if (told === 'fail') throw new Error('told to fail');
  return lines;
};
`,
});

/** A run that has begun, the first of its chain or the so-and-so-many-th. */
export interface Begun {
  run: string;
  chain: number;
  tries: number;
}

interface Going {
  run: string;
  socket: Socket;
}

export class Marks {
  /** For each run, how often it began. */
  readonly begun = new Map<string, number>();
  /** Tries of one chain that went on at the same time. */
  readonly overlaps: { chain: number; runs: string[] }[] = [];
  readonly #going = new Map<number, Set<Going>>();
  readonly #tries = new Map<number, number>();
  readonly #server: Server;

  private constructor(failures: (chain: number) => number, heard: (begun: Begun) => void) {
    this.#server = createServer(socket => {
      socket.on('error', () => {}); // a run that was killed
      let said = '';
      const listen = (bytes: Buffer) => {
        said += bytes;
        if (!said.endsWith('\n')) return;
        socket.off('data', listen);
        const mark = JSON.parse(said) as { run: string; chain: number };
        const tries = this.#begin(socket, mark);
        socket.write(tries <= failures(mark.chain) ? 'fail\n' : 'go\n');
        heard({ ...mark, tries });
      };
      socket.on('data', listen);
    });
  }

  /**
   * @param failures how many tries of a chain are told to fail
   * @param heard called when a run has begun
   */
  static async open(failures: (chain: number) => number, heard: (begun: Begun) => void): Promise<Marks> {
    const marks = new Marks(failures, heard);
    marks.#server.listen(0, '127.0.0.1');
    await once(marks.#server, 'listening');
    return marks;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const chain of this.#going.values()) for (const { socket } of chain) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** @returns how many tries of the chain have begun. */
  #begin(socket: Socket, { run, chain }: { run: string; chain: number }): number {
    const before = [...(this.#going.get(chain) ?? [])];
    const going = { run, socket };
    this.#going.set(chain, new Set([...before, going]));
    socket.once('close', () => this.#going.get(chain)?.delete(going));
    for (const other of before) void this.#askWhetherThere(chain, other, run);
    this.begun.set(run, (this.begun.get(run) ?? 0) + 1);
    const tries = (this.#tries.get(chain) ?? 0) + 1;
    this.#tries.set(chain, tries);
    return tries;
  }

  /** The end of a connection may come later than the begin of another that was made after it; an answer cannot. */
  async #askWhetherThere(chain: number, { run, socket }: Going, later: string): Promise<void> {
    const answered = once(socket, 'data').then(
      () => true,
      () => false,
    );
    const closed = new Promise<boolean>(resolve => socket.once('close', () => resolve(false)));
    if (socket.destroyed) return;
    socket.write('there?\n');
    if (await Promise.race([answered, closed])) this.overlaps.push({ chain, runs: [run, later] });
  }
}
