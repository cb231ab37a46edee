/**
 * The program that runs npm. It is a separate process, because npm reads untrusted files. The process reads one line of
 * JSON (`NpmRequest`) from standard input, writes one line (`NpmAnswer`) to standard output and ends. Before that it may
 * write an empty line: it waits for a slow registry; and lines with a number: so many packages it has found. It also ends when its input is closed. It only reads archives and package lists, and runs no code of a library.
 */
import { mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PipeLines } from '@trawl/contracts/pipe-lines';
import type { Declarations } from './declarations/collect-declarations.js';
import { failureOf, limitFailure, type NpmFailure } from './npm-failure.js';
import { type WriteLimits, type Written, WrittenFiles } from './written-files.js';

export interface NpmRequest {
  task: 'resolve' | 'install' | 'declare';
  /** An empty folder for package.json and node_modules. */
  folder: string;
  /** npm's cache folder. */
  cache: string;
  /** Address of the registry; null for npm's default registry. */
  registry: string | null;
  /** See `NpmOptions`. */
  node: string;
  /** The dependencies of package.json. */
  wanted: Record<string, string>;
  /**
   * The packages of a package-lock.json. For `install` they are the packages to install, for `declare` those to read, for
   * `resolve` those of the previous lock.
   */
  packages: Record<string, unknown> | null;
  /** For `declare`: packages of types and their version ranges, which `packages` may lack. */
  types?: Record<string, string>;
  /** What npm may write into the folder and the cache. */
  limits: WriteLimits;
  /** After this time the process says whether it only waits for the registry. See `NpmOptions`. */
  slowMs: number;
}

/** `written`: what is in node_modules. */
export type NpmAnswer =
  | { packages: Record<string, unknown>; written: Written; declarations?: Declarations }
  | { failure: NpmFailure };

/** The unprivileged user `nobody` of Linux. */
const NOBODY = 65_534;
const NET_TIMEOUT_MS = 15_000;
/** A process waits for the registry if its event loop is busy for less than this share of the time, and it needs less memory than this. */
const IDLE_SHARE = 0.1;
const IDLE_BYTES = 256 * 1024 * 1024;
const IDLE_EVERY_MS = 1_000;
/** How often the process says how many packages it has found. */
const FOUND_EVERY_MS = 500;

async function answer(request: NpmRequest): Promise<NpmAnswer> {
  const { task, cache, registry, node, wanted, packages, limits, slowMs } = request;
  sayWhenSlow(slowMs);
  // npm names files by this path.
  const folder = realpathSync(request.folder);
  // No file may be writable for others, whatever its archive says.
  process.umask(0o022);
  const files = new WrittenFiles(folder, limits, (limit, library) => end({ failure: limitFailure(limit, library) }));
  files.watch();
  // Load npm after its functions of `node:fs` were replaced, but before `nobody` may be unable to read it: the folder of
  // Trawl can be closed to other users, such as one below /root.
  const { default: Arborist } = await import('@npmcli/arborist');
  const { agentFor } = await import('./registry-hosts.js');
  const { declare } = await import('./declarations/declare.js');
  dropRights(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: wanted }));
  if (packages) {
    const lock = { lockfileVersion: 3, requires: true, packages };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  }
  const options = {
    path: folder,
    cache,
    ...(registry === null ? {} : { registry }),
    // `engines` of a package is about the Node of runs.
    nodeVersion: node,
    agent: agentFor(registry, NET_TIMEOUT_MS),
    // The list of a package may name archives of any host. Take those of the registry.
    replaceRegistryHost: 'always',
    allowGit: 'none',
    allowRemote: 'none',
    allowFile: 'none',
    allowDirectory: 'none',
    ignoreScripts: true,
    binLinks: false,
    audit: false,
    fund: false,
    save: false,
    lockfileVersion: 3,
    timeout: NET_TIMEOUT_MS,
    // npm makes no retries, because the caller decides about them.
    fetchRetries: 0,
  };
  const arborist = new Arborist(options);
  try {
    if (task === 'declare') {
      const declarations = await declare(
        { wanted, types: request.types ?? {}, packages: packages ?? {} },
        options,
        Arborist,
      );
      return { packages: {}, written: files.installed, declarations };
    }
    if (task === 'resolve') {
      sayHowManyFound();
      const tree = await arborist.buildIdealTree({});
      return { packages: tree.meta.commit().packages, written: files.installed };
    }
    await arborist.loadVirtual();
    await arborist.reify({ save: false });
    // This file contains the registry's address, which runs must not see.
    rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true });
    return { packages: {}, written: files.installed };
  } catch (error) {
    const failure = failureOf(error);
    // npm itself ends an archive that unpacks to a thousand times its size.
    return { failure: failure.code === 'TAR_ABORT' ? limitFailure('size_limit', files.largest('bytes')) : failure };
  }
}

/**
 * If this process runs as root, changes to the user `nobody` for good. If `nobody` cannot write to the folder, npm runs
 * as root.
 */
function dropRights(folder: string): void {
  if (process.getuid?.() !== 0) return;
  try {
    process.setgroups?.([]);
    process.setegid?.(NOBODY);
    process.seteuid?.(NOBODY);
    rmdirSync(mkdtempSync(join(folder, 'trial-')));
  } catch {
    process.seteuid?.(0);
    process.setegid?.(0);
    return;
  }
  process.seteuid?.(0);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

/**
 * Writes an empty line after this time, as soon as the process mostly waits and needs little memory. While it unpacks
 * archives, it writes none: others must wait for their turn, or the machine would do more at once than it should.
 */
function sayWhenSlow(slowMs: number): void {
  const startedAt = performance.now();
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    const isIdle = utilization < IDLE_SHARE && process.memoryUsage.rss() < IDLE_BYTES;
    if (!isIdle || performance.now() - startedAt < slowMs) return;
    clearInterval(timer);
    process.stdout.write('\n');
  }, IDLE_EVERY_MS);
}

/** Writes the number of packages whose list of versions has arrived, each time that it has grown. */
function sayHowManyFound(): void {
  let found = 0;
  let said = 0;
  // npm's own libraries log each answer of the registry with this event.
  process.on('log', (level: string, source: unknown, text: unknown) => {
    if (level === 'http' && source === 'fetch' && String(text).startsWith('GET 200 ')) found += 1;
  });
  setInterval(() => {
    if (found > said) process.stdout.write(`${found}\n`);
    said = found;
  }, FOUND_EVERY_MS);
}

let hasEnded = false;
/** Answers and ends this process. Only the first call has an effect, and it ends everything else that npm still does. */
function end(answered: NpmAnswer): void {
  if (hasEnded) return;
  hasEnded = true;
  // Write synchronously: npm must not write any further file to the disk.
  const text = Buffer.from(`${JSON.stringify(answered)}\n`);
  for (let at = 0; at < text.length; ) at += writeSome(text, at);
  process.exit(0);
}

function writeSome(text: Buffer, at: number): number {
  try {
    return writeSync(process.stdout.fd, text, at);
  } catch (error) {
    // The pipe is full: its reader is slower.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

const lines = new PipeLines(async line => end(await answer(JSON.parse(line))));
process.stdin.on('data', (chunk: Buffer) => lines.push(chunk)).once('end', () => process.exit(1));
