import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { problem, TOO_LARGE } from '@trawl/bundler/problems';
import { BROWSER_LIBRARIES, LIBRARIES_OF_RUNS } from '@trawl/contracts';
import { CONFIG, type Config } from '../../../platform/common/config.js';
import { BuildHost } from './build-host/build-host.js';
import type { BuildUser, BundleRequest, BundleResult } from './build-host/bundle-build.js';
import { BuildPriorities } from './build-priorities.js';
import { BuildQueue } from './build-queue.js';

const TIME_LIMIT_MS = 20_000;
const CONCURRENCY = 2;
/** The unprivileged user `nobody` on Linux. */
const NOBODY: BuildUser = { uid: 65_534, gid: 65_534 };
/**
 * Codes of spawn errors that occur if `nobody` cannot read the folder, root lacks the capability to switch users, or
 * the container has no such user.
 */
const CANNOT_SWITCH_USER = new Set<unknown>(['EACCES', 'EPERM', 'EINVAL']);

/** Builds each bundle in a process with time and memory limits, so that a hostile skript cannot hang the backend. */
@Injectable()
export class BundlerService implements OnApplicationShutdown {
  readonly #log = new Logger(BundlerService.name);
  readonly #host = new BuildHost();
  /** Queued and running builds, by account and the digest of their files. Requests for the same files share one build. */
  readonly #builds = new Map<string, Promise<BundleResult>>();
  readonly #queue = new BuildQueue(CONCURRENCY);
  readonly #priorities: BuildPriorities;
  #user: Promise<BuildUser> | undefined;

  constructor(@Inject(CONFIG) config: Pick<Config, 'supervised'>) {
    this.#priorities = new BuildPriorities(config.supervised);
  }

  /**
   * Builds a bundle. Errors in the files are returned as `problems`, not thrown.
   * @param main name of the file in which a run starts.
   * @param installed names of the libraries in the lock of this hash.
   */
  bundle(
    ownerId: string,
    files: BundleRequest['files'],
    main: string,
    installed: string[],
    aliases: BundleRequest['aliases'],
    lockHash: string | null,
  ): Promise<BundleResult> {
    const filesDigest = digestOf(files, lockHash);
    const key = `${ownerId} ${filesDigest}`;
    const running = this.#builds.get(key);
    if (running) return running;
    const libraries = [...new Set([...installed, ...LIBRARIES_OF_RUNS, ...Object.keys(aliases)])];
    const browserLibraries = BROWSER_LIBRARIES;
    const request = { files, main, libraries, browserLibraries, aliases, filesDigest, timeLimitMs: TIME_LIMIT_MS };
    const build = this.#queue
      .run(ownerId, () => this.#measured(ownerId, request))
      .finally(() => this.#builds.delete(key));
    this.#builds.set(key, build);
    return build;
  }

  onApplicationShutdown(): void {
    this.#queue.close();
    this.#host.close();
  }

  async #measured(ownerId: string, request: Omit<BundleRequest, 'nice'>): Promise<BundleResult> {
    const chars = request.files.reduce((sum, { content }) => sum + content.length, 0);
    const nice = this.#priorities.niceOf(ownerId, chars);
    const startedAt = performance.now();
    try {
      return await this.#inChild({ ...request, nice });
    } finally {
      this.#priorities.add(ownerId, performance.now() - startedAt);
    }
  }

  async #inChild(request: BundleRequest): Promise<BundleResult> {
    this.#user ??= this.#unprivilegedUser().catch(error => {
      this.#user = undefined;
      throw error;
    });
    const result = await this.#host.build(request, await this.#user);
    return result ?? { problems: [problem(TOO_LARGE)] };
  }

  /**
   * Chooses the user for builds. A build reads untrusted code, so a backend that runs as root uses `nobody`. If a trial
   * build as `nobody` fails, for example because Trawl is installed below /root, builds run as root.
   */
  async #unprivilegedUser(): Promise<BuildUser> {
    if (process.getuid?.() !== 0) return {};
    const trial = {
      files: [{ name: 'main.js', content: '' }],
      main: 'main.js',
      libraries: [],
      browserLibraries: [],
      aliases: {},
      filesDigest: '',
      timeLimitMs: TIME_LIMIT_MS,
      nice: 0,
    };
    const result = await this.#host.build(trial, NOBODY).catch((error: NodeJS.ErrnoException) => {
      if (CANNOT_SWITCH_USER.has(error.code)) return null;
      throw error;
    });
    if (result && 'code' in result) return NOBODY;
    this.#log.warn(
      'builds run as root: a trial build as user nobody failed; can it read the folder that Trawl is installed in?',
    );
    return {};
  }
}

/** Returns a hash of the files and of their lock. NUL separates the parts, because PostgreSQL saves no text with it. */
function digestOf(files: BundleRequest['files'], lockHash: string | null): string {
  const hash = createHash('sha256');
  for (const { name, content } of files) hash.update(`${name}\0`).update(content).update('\0');
  return hash.update(lockHash ?? '').digest('hex');
}
