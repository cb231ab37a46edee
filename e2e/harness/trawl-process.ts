import { type ChildProcess, fork, spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
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

const idleHosts: ChildProcess[] = [];
afterAll(() => {
  for (const host of idleHosts.splice(0)) host.kill();
});

/**
 * Runs a command of the built program to its end, with pipes as a script does. Commands share processes, because the
 * start of the program takes most of the processor time of a command. `startTrawl` and `Terminal` start the program.
 */
export async function trawl(args: string[], { cwd, env, input = '' }: TrawlOptions): Promise<TrawlEnd> {
  const host = idleHosts.pop() ?? fork('e2e/harness/trawl-host.mjs', { execArgv: [] });
  const over = new AbortController();
  const ended = Promise.race([
    once(host, 'message', over),
    once(host, 'exit', over).then(([code]) => {
      throw new Error(`trawl ${args.join(' ')} ended its host with exit code ${code}.`);
    }),
  ]);
  host.send({ args, cwd, env: environment(env), input });
  const [end] = (await ended) as [TrawlEnd];
  over.abort();
  idleHosts.push(host);
  return { ...end, stderr: end.stderr.replace(SANDBOX_LACKS, '') };
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
