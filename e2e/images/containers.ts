import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { cacheDir } from '@trawl/embedded';
import { Child, type Program, type Runtime } from '../harness/child.js';
import { needed } from '../harness/needed.js';
import { freePort } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import type { UserPostgres } from '../hostile-sql/hostile-sql.js';
import { rightsOf } from './compose-rights.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PROGRAMS = ['buildah', 'mmdebstrap', 'podman', 'runc'];
const BASE = 'trawl-test-base';
const MAX_LIMIT = 8192;
const IMAGES = join(cacheDir(), 'images');
const PASSWORD = 'password-of-the-tests';

/** Returns why this machine cannot build and run images, or undefined if it can. */
export function missingForContainers(): string | undefined {
  const onPath = (name: string) =>
    (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, name)));
  const missing = PROGRAMS.filter(name => !onPath(name));
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can build images';
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))) return 'the base image is made from Debian';
  return missing.length > 0 ? `not installed: ${missing.join(', ')} (apt-get install ${missing.join(' ')})` : undefined;
}

/**
 * Runs the programs of a platform in containers of the images. The images stay in Trawl's cache folder, so that later
 * builds repeat only what has changed; `close` removes the containers.
 */
export class Containers implements Runtime {
  readonly folder = temporaryFolder('trawl-images-');
  readonly #storage = [`--root=${join(IMAGES, 'storage')}`, `--runroot=${join(IMAGES, 'run')}`];
  readonly #podmanOptions = ['--cgroup-manager=cgroupfs', '--runtime=runc', `--tmpdir=${join(IMAGES, 'tmp')}`];
  readonly #names: string[] = [];
  #userPostgres: UserPostgres | undefined;
  /** The MongoDB of the tests may listen on a socket file, which a container does not have. */
  readonly #mongo = createServer(socket => {
    const { hostname: host, port } = new URL(needed('TRAWL_TEST_MONGODB_URI'));
    const onward = connect(host.includes('%') ? { path: decodeURIComponent(host) } : { host, port: Number(port) });
    pipeline(socket, onward, socket, () => {}); // either side may cut the connection
  });

  /** Builds a target of `deploy/Dockerfile` and gives the image the target's name. */
  async build(target: string): Promise<void> {
    if (!(await this.#hasBase())) await this.#makeBase();
    const { stdout: cache } = await run('npm', ['config', 'get', 'cache']);
    mkdirSync(cache.trim(), { recursive: true });
    await this.#run('buildah', [
      ...['build', '--isolation=chroot', '--layers', `--ulimit=nofile=${hardLimit('open files')}`],
      ...[`--volume=${cache.trim()}:/root/.npm`, `--build-arg=BASE=localhost/${BASE}`],
      ...['--file=deploy/Dockerfile', `--target=${target}`, `--tag=trawl-${target}`, '.'],
    ]);
  }

  /** Starts the PostgreSQL of users, and the way to the MongoDB of the tests. */
  async startDatabases(): Promise<void> {
    this.#mongo.listen(0, '127.0.0.1');
    await once(this.#mongo, 'listening');
    const port = await freePort();
    const program = new Child('user-postgres', {
      HOST: '127.0.0.1',
      PORT: String(port),
      POSTGRES_PASSWORD: PASSWORD,
      TRAWL_DATA_DIR: this.#folderFor('user-postgres', 999),
    });
    this.#userPostgres = { program, port, restart: () => program.start(() => accepts(port)) };
    await this.userPostgres.restart();
  }

  /** The PostgreSQL of users. All platforms of the test file use it. */
  get userPostgres(): UserPostgres {
    return this.#userPostgres as UserPostgres;
  }

  async addresses(): Promise<Record<string, string>> {
    const { port } = this.#mongo.address() as AddressInfo;
    return {
      HOST: '127.0.0.1',
      MONGODB_URI: `mongodb://127.0.0.1:${port}/?directConnection=true`,
      USER_POSTGRES_URL: `postgresql://trawl:${PASSWORD}@127.0.0.1:${this.userPostgres.port}/trawl`,
    };
  }

  /** Runs a container in the network of this machine, in the foreground, with the rights of docker-compose.yml. */
  spawn(script: string, env: Record<string, string>): Program {
    const service = script.split('/')[0] as string;
    const name = `trawl-test-${service}-${randomBytes(6).toString('hex')}`;
    this.#names.push(name);
    const { TRAWL_DATA_DIR, TRAWL_WORKER_KEY, ...settings } = env;
    if (service === 'backend') giveTo(1000, TRAWL_DATA_DIR as string);
    // It survives a kill, as a container's volume survives its restart.
    const volumes = [`--volume=${TRAWL_DATA_DIR}:/data`];
    if (TRAWL_WORKER_KEY) {
      const keyFile = join(this.folder, `${name}-key`);
      writeFileSync(keyFile, `${TRAWL_WORKER_KEY}\n`);
      volumes.push(`--volume=${keyFile}:/run/secrets/worker-key:ro`);
      settings.TRAWL_WORKER_KEY_FILE = '/run/secrets/worker-key';
    }
    const child = spawn(
      'podman',
      [
        ...this.#storage,
        ...this.#podmanOptions,
        ...['run', '--rm', `--name=${name}`, '--network=host', ...rightsOf(service), ...volumes],
        ...Object.entries(settings).map(([key, value]) => `--env=${key}=${value}`),
        `localhost/trawl-${service}`,
      ],
      { env: this.#environment(), stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const inContainer = (...args: string[]) => this.#podman(args).catch(error => ({ stdout: '', stderr: `${error}` }));
    return {
      process: child,
      signal: signal => {
        const command = { SIGSTOP: ['pause'], SIGCONT: ['unpause'] }[signal as string] ?? [
          'kill',
          `--signal=${signal}`,
        ];
        void inContainer(...command, name).then(({ stderr }) => child.stderr.emit('data', Buffer.from(stderr)));
      },
      list: async folder => {
        const { stdout } = await inContainer('exec', name, 'sh', '-c', `ls /data/${folder} 2>/dev/null || true`);
        return stdout.split('\n').filter(Boolean);
      },
    };
  }

  async close(): Promise<void> {
    await this.#userPostgres?.program.kill('SIGTERM');
    this.#mongo.close();
    for (const name of this.#names) await this.#podman(['rm', '--force', '--ignore', '--time=10', name]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Creates a folder for the data of a service that runs as this user. */
  #folderFor(service: string, uid: number): string {
    const folder = join(this.folder, service);
    mkdirSync(folder, { recursive: true });
    giveTo(uid, folder);
    return folder;
  }

  async #hasBase(): Promise<boolean> {
    const { stdout } = await this.#run('buildah', ['images', '--quiet', '--filter', `reference=${BASE}`]);
    return stdout !== '';
  }

  /** Makes a base image like Node's, with this machine's Debian release, Node.js, and settings of npm and apt. */
  async #makeBase(): Promise<void> {
    const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] as string;
    const { stdout: npm } = await run('sh', ['-c', 'command -v npm']);
    const npmFolder = dirname(dirname(realpathSync(npm.trim())));
    const settings = await Promise.all(
      ['userconfig', 'globalconfig'].map(async name => (await run('npm', ['config', 'get', name])).stdout.trim()),
    );
    const copies = {
      [process.execPath]: 'usr/local/bin/node',
      [npmFolder]: 'usr/local/lib/node_modules/npm',
      [settings[0] as string]: 'root/.npmrc',
      [settings[1] as string]: 'usr/local/etc/npmrc',
      '/etc/ssl/certs/ca-certificates.crt': 'etc/ssl/certs/ca-certificates.crt',
      '/etc/apt/apt.conf.d': 'etc/apt',
    };
    const hooks = Object.entries(copies)
      .filter(([from]) => existsSync(from))
      .map(([from, to]) => `mkdir -p "$1/${dirname(to)}" && cp -rL '${from}' "$1/${to}"`);
    for (const name of ['npm', 'npx']) {
      hooks.push(`ln -s ../lib/node_modules/npm/bin/${name}-cli.js "$1/usr/local/bin/${name}"`);
    }
    const tar = join(this.folder, 'base.tar');
    await run(
      'mmdebstrap',
      [
        '--variant=minbase',
        '--include=ca-certificates,libstdc++6',
        ...hooks.map(hook => `--customize-hook=${hook}`),
        suite,
        tar,
      ],
      { maxBuffer: MAX_OUTPUT_BYTES },
    );
    await this.#podman([
      'import',
      '--change=ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      tar,
      BASE,
    ]);
    rmSync(tar);
  }

  #podman(args: string[]) {
    return this.#run('podman', [...this.#podmanOptions, ...args]);
  }

  #run(program: string, args: string[]): Promise<{ stdout: string; stderr: string }> {
    return run(program, [...this.#storage, ...args], { env: this.#environment(), maxBuffer: MAX_OUTPUT_BYTES });
  }

  #environment(): NodeJS.ProcessEnv {
    // By default podman raises limits, which not every machine allows. It cannot pass on high limits of processes either.
    const conf = join(this.folder, 'containers.conf');
    const [files, processes] = [hardLimit('open files'), hardLimit('processes')];
    writeFileSync(conf, `[containers]\ndefault_ulimits = ["nofile=${files}", "nproc=${processes}"]\n`);
    return { ...process.env, CONTAINERS_CONF: conf };
  }
}

function giveTo(uid: number, folder: string): void {
  chownSync(folder, uid, uid);
}

/** Whether a program listens on a port of the loopback address. */
const accepts = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Returns a limit as the options of podman want it: that of this process, but at most 8192. */
function hardLimit(name: string): string {
  const line = readFileSync('/proc/self/limits', 'utf8').match(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm'));
  const limit = Math.min(Number(line?.[1] ?? MAX_LIMIT), MAX_LIMIT);
  return `${limit}:${limit}`;
}
