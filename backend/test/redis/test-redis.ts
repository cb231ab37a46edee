import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';

const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];
const TRIPLETS: Record<string, string> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** A Redis server in memory only. `start` after `stop` uses the same port again. */
export class TestRedis {
  #process?: ChildProcess;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** Downloads Redis from the archive of Debian or Ubuntu, the first time, and starts it. */
  static async start(): Promise<TestRedis> {
    const folder = join(cacheDir(), `redis-${process.arch}`);
    if (!existsSync(folder)) await fetchDebianPackages({ folder, packages: PACKAGES });
    const redis = new TestRedis(folder, await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'];
    const child = spawn(join(this.folder, 'usr/bin/redis-server'), args, {
      env: { LD_LIBRARY_PATH: join(this.folder, 'usr/lib', TRIPLETS[process.arch] ?? '') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', chunk => {
        output += chunk;
        if (output.includes('Ready to accept connections')) resolve();
      });
      child.once('error', reject);
      child.once('exit', code => reject(new Error(`redis-server exited with ${code}:\n${output}`)));
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
