import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

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

/** The environment of a program that inherits nothing but the path. */
export const environment = (env: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  TERM: 'xterm',
  ...env,
});

/** A line about the computer, which differs between those who run the tests. */
const SANDBOX_LACKS = /^The sandbox of this computer lacks: .*\n/;

const idleHosts: ChildProcess[] = [];
afterAll(() => {
  for (const host of idleHosts.splice(0)) host.kill();
});

/**
 * Runs a command of the built program to its end, with pipes as a script does. Commands share processes, because the
 * start of the program takes most of the processor time of a command. To start the program itself, see trawl-process.ts.
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
