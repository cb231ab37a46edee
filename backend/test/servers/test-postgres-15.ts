import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir, postgresUser, sourceOf } from '@trawl/embedded';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';
import { DebianServer, librariesIn } from '@trawl/embedded/debian-server';
import { freePort } from './free-port.js';

const NAME = 'postgres-15';
const BINARIES = 'usr/lib/postgresql/15/bin';
const PASSWORD = 'of-a-test';
/** The packages, with the libraries that a small machine lacks. The release of Debian with PostgreSQL 15 is Bookworm. */
const PACKAGES = ['postgresql-15', 'libpq5', 'libicu72', 'libxml2', 'libldap-2.5-0', 'libsasl2-2'];
const BOOKWORM = { suite: 'bookworm', component: 'main', keyring: '/usr/share/keyrings/debian-archive-keyring.gpg' };

/** Whether this machine can run Debian's packages: on other systems, their libraries do not fit. */
export const canRunPostgres15 =
  process.platform === 'linux' &&
  existsSync('/etc/os-release') &&
  /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

/** A server with the oldest PostgreSQL that Trawl supports, and with a new data folder. */
export class TestPostgres15 extends DebianServer {
  private constructor(
    readonly url: string,
    port: number,
    private readonly folder: string,
    user: ReturnType<typeof postgresUser>,
  ) {
    super({
      name: NAME,
      packages: PACKAGES,
      program: join(BINARIES, 'postgres'),
      args: [
        ...['-D', join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', ''],
        ...['-c', 'fsync=off', '-c', 'jit=off'],
      ],
      user,
      readyText: 'ready to accept connections',
    });
  }

  static async create(): Promise<TestPostgres15> {
    const programs = join(cacheDir(), `${NAME}-${process.arch}`);
    if (!existsSync(programs))
      await fetchDebianPackages({ folder: programs, packages: PACKAGES, source: await sourceOf(BOOKWORM) });
    const folder = mkdtempSync(join(tmpdir(), 'trawl-postgres-15-'));
    const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
    mkdirSync(data);
    writeFileSync(passwordFile, PASSWORD);
    const user = postgresUser();
    if (user) for (const path of [folder, data, passwordFile]) chownSync(path, user.uid, user.gid);
    execFileSync(
      join(programs, BINARIES, 'initdb'),
      [
        ...[`--pgdata=${data}`, '--username=trawl', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', '--locale=C', '--no-sync'],
      ],
      {
        cwd: '/',
        env: { LD_LIBRARY_PATH: librariesIn(programs), LC_ALL: 'C', TZ: 'UTC' },
        stdio: 'pipe',
        ...(user && { uid: user.uid, gid: user.gid }),
      },
    );
    const port = await freePort();
    const server = new TestPostgres15(`postgresql://trawl:${PASSWORD}@127.0.0.1:${port}/postgres`, port, folder, user);
    await server.start();
    return server;
  }

  override async stop(): Promise<void> {
    await super.stop('SIGINT');
    rmSync(this.folder, { recursive: true });
  }
}
