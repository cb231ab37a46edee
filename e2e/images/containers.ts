import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../harness/temporary-folder.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const PROGRAMS = ['buildah', 'mmdebstrap', 'podman', 'runc'];
const BASE = 'trawl-test-base';
const MAX_LIMIT = 8192;

/** Returns why this machine cannot build and run images, or undefined if it can. */
export function missingForContainers(): string | undefined {
  const onPath = (name: string) =>
    (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, name)));
  const missing = PROGRAMS.filter(name => !onPath(name));
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can build images';
  if (!/^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))) return 'the base image is made from Debian';
  return missing.length > 0 ? `not installed: ${missing.join(', ')} (apt-get install ${missing.join(' ')})` : undefined;
}

/** Images and containers in a folder of their own. `close` removes all of them. */
export class Containers {
  readonly folder = temporaryFolder('trawl-images-');
  readonly #storage = [`--root=${join(this.folder, 'storage')}`, `--runroot=${join(this.folder, 'run')}`];
  readonly #names: string[] = [];

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

  /** Starts a container in the network of this machine. */
  async start(target: string, options: string[], env: Record<string, string>): Promise<void> {
    const name = `trawl-${target}`;
    this.#names.push(name);
    await this.#podman([
      ...['run', '--detach', `--name=${name}`, '--network=host', ...options],
      ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
      `localhost/trawl-${target}`,
    ]);
  }

  /** Returns what a container has printed. */
  async log(target: string): Promise<string> {
    const { stdout, stderr } = await this.#podman(['logs', `trawl-${target}`]);
    return stdout + stderr;
  }

  /** Stops a container with SIGTERM, and returns its exit code. */
  async stop(target: string): Promise<number> {
    await this.#podman(['stop', '--time=60', `trawl-${target}`]);
    const { stdout } = await this.#podman(['inspect', '--format={{.State.ExitCode}}', `trawl-${target}`]);
    return Number(stdout);
  }

  async close(): Promise<void> {
    for (const name of this.#names) await this.#podman(['rm', '--force', '--ignore', '--time=10', name]);
    const mounts = readFileSync('/proc/self/mounts', 'utf8').match(/^\S+ (\S+)/gm) ?? [];
    const own = mounts.map(line => line.split(' ')[1] as string).filter(path => path.startsWith(`${this.folder}/`));
    for (const path of own.reverse()) await run('umount', [path]);
    await rm(this.folder, { recursive: true, force: true });
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
    const options = ['--cgroup-manager=cgroupfs', '--runtime=runc', `--tmpdir=${join(this.folder, 'tmp')}`];
    return this.#run('podman', [...options, ...args]);
  }

  async #run(program: string, args: string[]): Promise<{ stdout: string; stderr: string }> {
    // By default podman raises limits, which not every machine allows. It cannot pass on high limits of processes either.
    const conf = join(this.folder, 'containers.conf');
    const [files, processes] = [hardLimit('open files'), hardLimit('processes')];
    writeFileSync(conf, `[containers]\ndefault_ulimits = ["nofile=${files}", "nproc=${processes}"]\n`);
    return run(program, [...this.#storage, ...args], {
      env: { ...process.env, CONTAINERS_CONF: conf },
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  }
}

/** Returns a limit as the options of podman want it: that of this process, but at most 8192. */
function hardLimit(name: string): string {
  const line = readFileSync('/proc/self/limits', 'utf8').match(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm'));
  const limit = Math.min(Number(line?.[1] ?? MAX_LIMIT), MAX_LIMIT);
  return `${limit}:${limit}`;
}
