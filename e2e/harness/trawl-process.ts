import { spawn as spawnProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { until } from './until.js';

const PROGRAM = resolve('packages/cli/dist/trawl.js');

export interface TrawlOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Text for stdin. */
  input?: string;
}

export interface TrawlEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

const environment = (env: Record<string, string> = {}) => ({ PATH: process.env.PATH ?? '', TERM: 'xterm', ...env });

/** Starts the built program with pipes. */
export function startTrawl(args: string[], { cwd, env, input = '' }: TrawlOptions) {
  const child = spawnProcess(process.execPath, [PROGRAM, ...args], { cwd, env: environment(env) });
  child.stdin.end(input);
  return child;
}

/** A line about the computer, which differs between those who run the tests. */
const SANDBOX_LACKS = /^The sandbox of this computer lacks: .*\n/;

/** Runs the built program with pipes to its end, as a script does. */
export async function trawl(args: string[], options: TrawlOptions): Promise<TrawlEnd> {
  const child = startTrawl(args, options);
  const exit = new Promise<number | null>(resolve => {
    child.once('exit', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr: stderr.replace(SANDBOX_LACKS, '') };
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
