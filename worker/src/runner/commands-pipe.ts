import { Socket } from 'node:net';
import type { CommandToRun } from '../pipe-messages.js';

/** The way into the run. While it is held, the process goes on although nothing else keeps it busy. */
export class CommandsPipe {
  readonly #socket: Socket;
  #holds = 0;

  constructor(fd: number, onCommand: (command: CommandToRun) => void) {
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.#socket.unref();
    let rest = '';
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onCommand(JSON.parse(line) as CommandToRun);
    });
    // The worker is gone: nobody would hear of this run any more.
    this.#socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
    this.#socket.on('error', () => this.#socket.destroy());
  }

  hold(): void {
    this.#holds += 1;
    this.#socket.ref();
  }

  release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#socket.unref();
  }
}
