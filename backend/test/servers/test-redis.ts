import { DebianServer, freePort } from './debian-server.js';

/** A Redis server in memory only. `start` after `stop` uses the same port again. */
export class TestRedis extends DebianServer {
  private constructor(readonly url: string) {
    super({
      name: 'redis',
      packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
      program: 'usr/bin/redis-server',
      args: ['--port', new URL(url).port, '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'],
      readyText: 'Ready to accept connections',
    });
  }

  static async start(): Promise<TestRedis> {
    const redis = new TestRedis(`redis://127.0.0.1:${await freePort()}`);
    await redis.start();
    return redis;
  }
}
