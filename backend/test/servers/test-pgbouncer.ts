import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DebianServer } from '@trawl/embedded/debian-server';
import { freePort } from './free-port.js';

/** PgBouncer in front of a PostgreSQL server. */
export class TestPgBouncer extends DebianServer {
  private constructor(
    /** Connection string of the same database through PgBouncer. */
    readonly url: string,
    private readonly folder: string,
  ) {
    super({
      name: 'pgbouncer',
      packages: ['pgbouncer', 'libevent-2.1-7*', 'libc-ares2'],
      program: 'usr/sbin/pgbouncer',
      // PgBouncer does not run as root.
      args: [...(process.getuid?.() === 0 ? ['--user', 'nobody'] : []), join(folder, 'pgbouncer.ini')],
      readyText: 'process up',
    });
  }

  static async start(postgresUrl: string, poolMode: 'session' | 'transaction'): Promise<TestPgBouncer> {
    const port = await freePort();
    const { hostname, port: serverPort, username, password } = new URL(postgresUrl);
    const folder = mkdtempSync(join(tmpdir(), 'trawl-pgbouncer-'));
    chmodSync(folder, 0o755);
    const server = { host: hostname, port: serverPort, user: decodeURIComponent(username) };
    const settings = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any' };
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = ${lines({ ...server, password: decodeURIComponent(password) }).join(' ')}`,
        '[pgbouncer]',
        ...lines({ ...settings, pool_mode: poolMode, ignore_startup_parameters: 'extra_float_digits' }),
      ].join('\n'),
    );
    const url = Object.assign(new URL(postgresUrl), { hostname: '127.0.0.1', port: String(port) }).toString();
    const pooler = new TestPgBouncer(url, folder);
    await pooler.start();
    return pooler;
  }

  override async stop(): Promise<void> {
    await super.stop();
    rmSync(this.folder, { recursive: true });
  }
}

const lines = (values: Record<string, string | number>): string[] =>
  Object.entries(values).map(([name, value]) => `${name}=${value}`);
