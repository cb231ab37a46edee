import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../cache-dir.js';
import { fetchDebianPackages } from './debian-packages.js';

const TRIPLETS: Record<string, string> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

export interface DebianServerOptions {
  /** Name of the folder in the cache. */
  name: string;
  packages: readonly string[];
  /** Path of the program in the packages. */
  program: string;
  args: readonly string[];
  /** Environment variables of the program. By default it has none. */
  env?: Record<string, string>;
  /** The user that runs the program. By default it is the user of this process. */
  user?: { uid: number; gid: number } | undefined;
  /** Text that the server prints once it accepts connections. */
  readyText: string;
}

/** Returns where unpacked packages have their shared libraries. */
export const librariesIn = (folder: string): string => join(folder, 'usr/lib', TRIPLETS[process.arch] ?? '');

/** A server from the archive of Debian or Ubuntu, downloaded the first time. `start` after `stop` starts it again. */
export class DebianServer {
  #process?: ChildProcess;

  constructor(private readonly options: DebianServerOptions) {}

  async start(): Promise<void> {
    const { name, packages, program, args, env, user, readyText } = this.options;
    const folder = join(cacheDir(), `${name}-${process.arch}`);
    if (!existsSync(folder)) await fetchDebianPackages({ folder, packages });
    const child = spawn(join(folder, program), args, {
      env: { LD_LIBRARY_PATH: librariesIn(folder), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user && { uid: user.uid, gid: user.gid }),
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

  /** Sends a signal, such as SIGSTOP, and does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Sends a signal and waits until the server has exited. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** A Redis server in memory only. `start` after `stop` uses the same port again. */
export class RedisServer extends DebianServer {
  readonly url: string;

  /** @param port of the loopback address */
  constructor(port: number) {
    super({
      name: 'redis',
      packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
      program: 'usr/bin/redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'],
      readyText: 'Ready to accept connections',
    });
    this.url = `redis://127.0.0.1:${port}`;
  }
}
