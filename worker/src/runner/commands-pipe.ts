import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { builtin } from '../builtin.js';
import type { CommandToRun } from '../pipe-messages.js';

const PIECE_BYTES = 64 * 1024;
const LINE_END = 0x0a;

/**
 * The way into the run. A parked process blocks in `next`, which is the quickest way to hear of its first run; from
 * `listen` on commands come as events, and while the pipe is held the process goes on although nothing else keeps it busy.
 */
export class CommandsPipe {
  readonly #fd: number;
  #socket: Socket | undefined;
  #holds = 0;
  #parts: Buffer[] = [];

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The next command, waited for without giving way; null when this system can only be listened to. */
  next(): CommandToRun | null {
    for (;;) {
      const whole = this.#cutLine();
      if (whole !== null) return JSON.parse(whole) as CommandToRun;
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      let bytes: number;
      try {
        bytes = readSync(this.#fd, piece);
      } catch {
        return null;
      }
      if (bytes === 0) dieWithWorker();
      this.#parts.push(piece.subarray(0, bytes));
    }
  }

  listen(onCommand: (command: CommandToRun) => void): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const take = (bytes: Buffer) => {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onCommand(JSON.parse(line) as CommandToRun);
    };
    this.#socket = new (builtin('node:net').Socket)({ fd: this.#fd, readable: true, writable: false });
    if (this.#holds === 0) this.#socket.unref();
    this.#socket.on('data', take);
    this.#socket.on('close', dieWithWorker);
    this.#socket.on('error', () => this.#socket?.destroy());
    take(Buffer.concat(this.#parts));
    this.#parts = [];
  }

  hold(): void {
    this.#holds += 1;
    this.#socket?.ref();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#socket?.unref();
  }

  #cutLine(): string | null {
    const last = this.#parts.at(-1);
    const end = last?.indexOf(LINE_END) ?? -1;
    if (!last || end < 0) return null;
    const line = Buffer.concat([...this.#parts.slice(0, -1), last.subarray(0, end)]);
    const rest = last.subarray(end + 1);
    this.#parts = rest.length > 0 ? [rest] : [];
    return line.toString();
  }
}

/** The worker is gone: nobody would hear of this run any more. */
function dieWithWorker(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}
