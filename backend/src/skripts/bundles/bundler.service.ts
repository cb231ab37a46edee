import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BROWSER_LIBRARIES, BUILT_IN_LIBRARIES, type BundleProblem, OLDER_LIBRARIES } from '@trawl/contracts';
import { BuildQueue } from './build-queue.js';
import { problem, TOO_LARGE } from './bundle-problems.js';

export interface BundleRequest {
  files: { name: string; content: string }[];
  libraries: readonly string[];
  /** Libraries that need a browser. The build warns at the first import of one of them. */
  browserLibraries: readonly string[];
  /** Maps names of libraries to the modules that the bundle requires instead. */
  aliases: Record<string, string>;
  /** SHA-256 (hex) of all files and of the lock of their libraries. */
  filesDigest: string;
  timeLimitMs: number;
}

/**
 * `bundled` has the names of the files of code that the bundle replaces in the run's folder. `browserImport` is a warning at the first import of a
 * library that needs a browser; null if there is none.
 */
export type BundleResult =
  | { code: string; bundled: string[]; warnings: BundleProblem[]; browserImport: BundleProblem | null }
  | { problems: BundleProblem[] };

/**
 * Always the compiled file in `dist`: tests load this service from its TypeScript source, which Node cannot run as a
 * child process.
 */
const CHILD = fileURLToPath(new URL('../../../dist/skripts/bundles/bundle-child.js', import.meta.url));

const TIME_LIMIT_MS = 20_000;
const HEAP_MB = 256;
/**
 * Memory limit (`ulimit -d`, in KiB), one for Node and one for esbuild. Without it, hostile code with deep nesting
 * would make esbuild allocate gigabytes.
 */
const DATA_LIMIT_KB = 1024 * 1024;
/** Highest size of a build's output. The bundle of the largest allowed skript, with its source map, is much smaller. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const CONCURRENCY = 2;
/**
 * Builds of more code than this, in characters, have a low priority, so that they do not delay other builds and the
 * backend. The second setting is for the kernel's group of the build's session, whose share would ignore the first.
 */
const LARGE_CHARS = 1_000_000;
const LOW_PRIORITY = 'echo 10 > /proc/$$/autogroup; exec nice -n 10 "$@"';
/** The operating system's user for the build process. Empty means the same user as the backend. */
type User = { uid?: number; gid?: number };
/** The unprivileged user `nobody` on Linux. */
const NOBODY: User = { uid: 65_534, gid: 65_534 };
/**
 * Codes of spawn errors that occur if `nobody` cannot read the folder, root lacks the capability to switch users, or
 * the container has no such user.
 */
const CANNOT_SWITCH_USER = new Set<unknown>(['EACCES', 'EPERM', 'EINVAL']);

/** Builds each bundle in a process with time and memory limits, so that a hostile skript cannot hang the backend. */
@Injectable()
export class BundlerService implements OnApplicationShutdown {
  readonly #log = new Logger(BundlerService.name);
  readonly #running = new Set<ChildProcess>();
  /** Queued and running builds, by account and the digest of their files. Requests for the same files share one build. */
  readonly #builds = new Map<string, Promise<BundleResult>>();
  readonly #queue = new BuildQueue(CONCURRENCY);
  #user: Promise<User> | undefined;

  /**
   * Builds a bundle. Errors in the files are returned as `problems`, not thrown.
   * @param installed names of the libraries in the lock of this hash.
   */
  bundle(
    ownerId: string,
    files: BundleRequest['files'],
    installed: string[],
    aliases: BundleRequest['aliases'],
    lockHash: string | null,
  ): Promise<BundleResult> {
    const text = JSON.stringify(lockHash === null ? files : [files, lockHash]);
    const filesDigest = createHash('sha256').update(text).digest('hex');
    const key = `${ownerId} ${filesDigest}`;
    const running = this.#builds.get(key);
    if (running) return running;
    const libraries = [...new Set([...installed, ...BUILT_IN_LIBRARIES, ...OLDER_LIBRARIES, ...Object.keys(aliases)])];
    const browserLibraries = BROWSER_LIBRARIES;
    const request = { files, libraries, browserLibraries, aliases, filesDigest, timeLimitMs: TIME_LIMIT_MS };
    const build = this.#queue.run(ownerId, () => this.#inChild(request)).finally(() => this.#builds.delete(key));
    this.#builds.set(key, build);
    return build;
  }

  onApplicationShutdown(): void {
    this.#queue.close();
    for (const child of this.#running) kill(child);
  }

  async #inChild(request: BundleRequest): Promise<BundleResult> {
    this.#user ??= this.#unprivilegedUser().catch(error => {
      this.#user = undefined;
      throw error;
    });
    const result = await this.#build(request, await this.#user);
    return result ?? { problems: [problem(TOO_LARGE)] };
  }

  /**
   * Chooses the user for builds. A build reads untrusted code, so a backend that runs as root uses `nobody`. If a trial
   * build as `nobody` fails, for example because Trawl is installed below /root, builds run as root.
   */
  async #unprivilegedUser(): Promise<User> {
    if (process.getuid?.() !== 0) return {};
    const trial = {
      files: [{ name: 'main.js', content: '' }],
      libraries: [],
      browserLibraries: [],
      aliases: {},
      filesDigest: '',
      timeLimitMs: TIME_LIMIT_MS,
    };
    const result = await this.#build(trial, NOBODY).catch((error: NodeJS.ErrnoException) => {
      if (CANNOT_SWITCH_USER.has(error.code)) return null;
      throw error;
    });
    if (result && 'code' in result) return NOBODY;
    this.#log.warn(
      'builds run as root: a trial build as user nobody failed; can it read the folder that Trawl is installed in?',
    );
    return {};
  }

  /** Runs a build in a child process. Returns null if the process died. */
  async #build(request: BundleRequest, user: User): Promise<BundleResult | null> {
    const chars = request.files.reduce((sum, { content }) => sum + content.length, 0);
    const child = start(user, chars > LARGE_CHARS);
    this.#running.add(child);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill(child);
    }, request.timeLimitMs);
    try {
      const answer = await converse(child, `${JSON.stringify(request)}\n`);
      if (timedOut)
        return { problems: [problem(`The build exceeded its time limit of ${request.timeLimitMs / 1000} s.`)] };
      return parseAnswer(answer);
    } finally {
      clearTimeout(timer);
      kill(child);
      this.#running.delete(child);
    }
  }
}

/** Starts the child as leader of a process group, so that `kill` ends esbuild's process, too. */
function start(user: User, isLarge: boolean): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, CHILD];
  const options = { ...user, env: {}, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'ignore'] } as const;
  if (process.platform !== 'linux')
    return spawn(process.execPath, node.slice(1), { ...options, stdio: [...options.stdio] });
  const script = `ulimit -d ${DATA_LIMIT_KB}; ${isLarge ? LOW_PRIORITY : 'exec "$@"'}`;
  return spawn('/bin/sh', ['-c', script, 'sh', ...node], {
    ...options,
    stdio: [...options.stdio],
  });
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH means that the process group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function converse(child: ChildProcess, request: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks)));
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) kill(child);
      else chunks.push(chunk);
    });
    // Ignore write errors: if the child has ended early, the `close` handler resolves the promise.
    child.stdin?.on('error', () => {});
    child.stdin?.end(request);
  });
}

function parseAnswer(answer: Buffer): BundleResult | null {
  try {
    return JSON.parse(answer.toString()) as BundleResult;
  } catch {
    // The output is incomplete, so the process died.
    return null;
  }
}
