import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';

const TRIPLETS: Record<string, string> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

export interface DebianServerOptions {
  /** Name of the folder in the cache. */
  name: string;
  packages: readonly string[];
  /** Path of the program in the packages. */
  program: string;
  args: readonly string[];
  /** Text that the server prints once it accepts connections. */
  readyText: string;
}

/** A server from the archive of Debian or Ubuntu, downloaded the first time. `start` after `stop` starts it again. */
export class DebianServer {
  #process?: ChildProcess;

  constructor(private readonly options: DebianServerOptions) {}

  async start(): Promise<void> {
    const { name, packages, program, args, readyText } = this.options;
    const folder = join(cacheDir(), `${name}-${process.arch}`);
    if (!existsSync(folder)) await fetchDebianPackages({ folder, packages });
    const child = spawn(join(folder, program), args, {
      env: { LD_LIBRARY_PATH: join(folder, 'usr/lib', TRIPLETS[process.arch] ?? '') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        if (output.includes(readyText)) resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', code => reject(new Error(`${program} exited with ${code}:\n${output}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** Returns a port of the loopback address on which no program listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
