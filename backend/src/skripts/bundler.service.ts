import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type BundleProblem, STOCK_LIBRARIES } from '@trawl/contracts';
import { BuildTurns } from './build-turns.js';
import { problem, TOO_LARGE } from './bundle-problems.js';

export interface BundleRequest {
  files: { name: string; content: string }[];
  libraries: readonly string[];
  /** SHA-256 over all files and the lock of their libraries, in hex. */
  filesDigest: string;
  timeLimitMs: number;
}

export type BundleResult = { code: string; warnings: BundleProblem[] } | { problems: BundleProblem[] };

/** Always the built file: Node cannot run the source, from which tests load this one. */
const CHILD = fileURLToPath(new URL('../../dist/skripts/bundle-child.js', import.meta.url));

const TIME_LIMIT_MS = 20_000;
const HEAP_MB = 256;
/** What esbuild and Node may allocate each, by the operating system; esbuild would otherwise take a gigabyte for hostile nesting. */
const DATA_LIMIT_KB = 1024 * 1024;
/** A bundle of the largest skript, with its source map, is well below. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 2;
/** As whom a build runs; empty: as whom the backend runs. */
type User = { uid?: number; gid?: number };
/** The user without rights, under the number that Linux keeps for it. */
const NOBODY: User = { uid: 65_534, gid: 65_534 };
/** What starting a process as another user fails with: not reachable for it, not root’s to do here, no such user in this container. */
const NO_SUCH_RIGHT = new Set<unknown>(['EACCES', 'EPERM', 'EINVAL']);

/** Builds bundles, each in a process of its own with limits, so that a hostile skript can neither hang nor fill the backend. */
@Injectable()
export class BundlerService implements OnApplicationShutdown {
  readonly #log = new Logger(BundlerService.name);
  readonly #running = new Set<ChildProcess>();
  /** Builds under way or waiting, by the digest of their files: asked for twice, they are done once. */
  readonly #builds = new Map<string, Promise<BundleResult>>();
  readonly #turns = new BuildTurns(AT_ONCE);
  #user: Promise<User> | undefined;

  /**
   * Never throws for what is in the files; `problems` then says what is wrong.
   *
   * @param installed names of the libraries that the lock with this hash brings.
   */
  bundle(files: BundleRequest['files'], installed: string[], lockHash: string | null): Promise<BundleResult> {
    const text = JSON.stringify(lockHash === null ? files : [files, lockHash]);
    const filesDigest = createHash('sha256').update(text).digest('hex');
    const known = this.#builds.get(filesDigest);
    if (known) return known;
    const libraries = [...new Set([...installed, ...STOCK_LIBRARIES])];
    const request = { files, libraries, filesDigest, timeLimitMs: TIME_LIMIT_MS };
    const build = this.#turns.run(() => this.#inChild(request)).finally(() => this.#builds.delete(filesDigest));
    this.#builds.set(filesDigest, build);
    return build;
  }

  onApplicationShutdown(): void {
    this.#turns.close();
    for (const child of this.#running) kill(child);
  }

  async #inChild(request: BundleRequest): Promise<BundleResult> {
    this.#user ??= this.#weakestUser().catch(error => {
      this.#user = undefined;
      throw error;
    });
    const result = await this.#build(request, await this.#user);
    return result ?? { problems: [problem(TOO_LARGE)] };
  }

  /**
   * A build reads what strangers wrote, so root's rights are dropped for it. Where the product stands in a folder that
   * only root may enter, such as one below /root, no other user could start the build, and root keeps doing it.
   */
  async #weakestUser(): Promise<User> {
    if (process.getuid?.() !== 0) return {};
    const trial = {
      files: [{ name: 'main.js', content: '' }],
      libraries: [],
      filesDigest: '',
      timeLimitMs: TIME_LIMIT_MS,
    };
    const result = await this.#build(trial, NOBODY).catch((error: NodeJS.ErrnoException) => {
      if (NO_SUCH_RIGHT.has(error.code)) return null;
      throw error;
    });
    if (result && 'code' in result) return NOBODY;
    this.#log.warn('Skripts are bundled with the rights of root: the product’s folder is not readable by other users.');
    return {};
  }

  /** Null when the build ended before it was done. */
  async #build(request: BundleRequest, user: User): Promise<BundleResult | null> {
    const child = start(user);
    this.#running.add(child);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill(child);
    }, request.timeLimitMs);
    try {
      const answer = await converse(child, `${JSON.stringify(request)}\n`);
      if (timedOut)
        return { problems: [problem(`Building the bundle took longer than ${request.timeLimitMs / 1000} s.`)] };
      return parseAnswer(answer);
    } finally {
      clearTimeout(timer);
      kill(child);
      this.#running.delete(child);
    }
  }
}

/** The child leads a process group, so that esbuild's own process ends with it. */
function start(user: User): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, CHILD];
  const options = { ...user, env: {}, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'ignore'] } as const;
  if (process.platform !== 'linux')
    return spawn(process.execPath, node.slice(1), { ...options, stdio: [...options.stdio] });
  return spawn('/bin/sh', ['-c', `ulimit -d ${DATA_LIMIT_KB}; exec "$@"`, 'sh', ...node], {
    ...options,
    stdio: [...options.stdio],
  });
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Nothing of the group is left: it ended by itself.
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
      if (bytes > ANSWER_BYTES) kill(child);
      else chunks.push(chunk);
    });
    // A child that ended early has closed its input; how it ended is told by `close`.
    child.stdin?.on('error', () => {});
    child.stdin?.end(request);
  });
}

function parseAnswer(answer: Buffer): BundleResult | null {
  try {
    return JSON.parse(answer.toString()) as BundleResult;
  } catch {
    // Half an answer, or none.
    return null;
  }
}
