import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PipeLines } from '@trawl/contracts';
import type { CommandToRun } from '../protocol/pipe-messages.js';
import { builtin } from './node/builtin.js';

const PIECE_BYTES = 64 * 1024;

type OnCommand = (command: CommandToRun, data: Buffer | null) => void;

/**
 * Reads the worker's commands. A parked process blocks in `next`, so that its first run begins as fast as possible.
 * After `listen` was called, commands arrive as events, and `hold` keeps the process alive while it has nothing else to
 * do.
 */
export class CommandsPipe {
  readonly #fd: number;
  #socket: Socket | undefined;
  #holds = 0;
  readonly #lines = new PipeLines((line, data) => this.#onCommand(JSON.parse(line) as CommandToRun, data));
  /** Commands that have arrived, but were not returned yet. */
  readonly #arrived: [CommandToRun, Buffer | null][] = [];
  #onCommand: OnCommand = (command, data) => this.#arrived.push([command, data]);

  constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Blocks until a command arrives and returns it with its data. Returns null on systems where the pipe cannot be read in this way.
   */
  next(): [CommandToRun, Buffer | null] | null {
    for (;;) {
      const command = this.#arrived.shift();
      if (command) return command;
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      let bytes: number;
      try {
        bytes = readSync(this.#fd, piece);
      } catch {
        return null;
      }
      if (bytes === 0) dieWithWorker();
      this.#lines.push(piece.subarray(0, bytes));
    }
  }

  /** Calls `onCommand` for each further command, with the data of the command. */
  listen(onCommand: OnCommand): void {
    this.#onCommand = onCommand;
    this.#socket = new (builtin('node:net').Socket)({ fd: this.#fd, readable: true, writable: false });
    if (this.#holds === 0) this.#socket.unref();
    this.#socket.on('data', (bytes: Buffer) => this.#lines.push(bytes));
    this.#socket.on('close', dieWithWorker);
    this.#socket.on('error', () => this.#socket?.destroy());
    for (const [command, data] of this.#arrived.splice(0)) onCommand(command, data);
  }

  /** Keeps the process alive until the matching `release`. */
  hold(): void {
    this.#holds += 1;
    this.#socket?.ref();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#socket?.unref();
  }
}

/** Ends this process. Called when the worker has ended, because nobody would receive the run's result. */
function dieWithWorker(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
