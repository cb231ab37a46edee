import { spawn as spawnProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { environment, type TrawlOptions } from './hosted-trawl.js';
import { until } from './until.js';

const PROGRAM = resolve('packages/cli/dist/trawl.js');

/** Starts the built program with pipes, in this version of Node or another. */
export function startTrawl(
  args: string[],
  { cwd, env, input = '', node = process.execPath }: TrawlOptions & { node?: string },
) {
  const child = spawnProcess(node, [PROGRAM, ...args], { cwd, env: environment(env) });
  child.stdin.end(input);
  return child;
}

/** Runs the built program in a terminal, as a person does. */
export class Terminal {
  /** Everything that the program has written. */
  screen = '';
  readonly ended: Promise<number>;
  readonly #pty;

  constructor(args: string[], { cwd, env }: TrawlOptions) {
    this.#pty = spawnInTerminal(process.execPath, [PROGRAM, ...args], {
      cwd,
      env: environment(env),
      cols: 200,
      rows: 50,
    });
    this.#pty.onData(data => {
      this.screen += data;
    });
    this.ended = new Promise(resolve => {
      this.#pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  /** Waits until the program has written a text. */
  async shows(what: string): Promise<void> {
    await until(async () => this.screen.includes(what), `the terminal to show ${what}; it shows ${this.screen}`);
  }

  /** Types a text. `\r` is Enter, `\x03` is Ctrl-C. */
  type(keys: string): void {
    this.#pty.write(keys);
  }
}
