/**
 * The program that runs npm. It is a separate process, because npm reads untrusted files. The process reads one line of
 * JSON (`NpmRequest`) from standard input, writes one line (`NpmAnswer`) to standard output and ends. It also ends when
 * its input is closed. It only reads archives and package lists, and runs no code of a library.
 */
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Arborist from '@npmcli/arborist';
import { failureOf, type NpmFailure } from './npm-failure.js';

export interface NpmRequest {
  task: 'resolve' | 'install';
  /** An empty folder for package.json and node_modules. */
  folder: string;
  /** npm's cache folder. */
  cache: string;
  /** Address of the registry; null for npm's default registry. */
  registry: string | null;
  /** The dependencies of package.json. */
  wanted: Record<string, string>;
  /**
   * The packages of a package-lock.json. For `install` they are the packages to install, for `resolve` those of the
   * previous lock.
   */
  packages: Record<string, unknown> | null;
}

export type NpmAnswer = { packages: Record<string, unknown> } | { failure: NpmFailure };

/** The unprivileged user `nobody` of Linux. */
const NOBODY = 65_534;
const NET_TIMEOUT_MS = 15_000;

async function answer({ task, folder, cache, registry, wanted, packages }: NpmRequest): Promise<NpmAnswer> {
  dropRights(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: wanted }));
  if (packages) {
    const lock = { lockfileVersion: 3, requires: true, packages };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  }
  const arborist = new Arborist({
    path: folder,
    cache,
    ...(registry === null ? {} : { registry }),
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
  });
  try {
    if (task === 'resolve') {
      const tree = await arborist.buildIdealTree({});
      return { packages: tree.meta.commit().packages };
    }
    await arborist.loadVirtual();
    await arborist.reify({ save: false });
    // This file contains the registry's address, which runs must not see.
    rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true });
    return { packages: {} };
  } catch (error) {
    return { failure: failureOf(error) };
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

const lines = createInterface({ input: process.stdin });
lines.once('line', async line => {
  const text = JSON.stringify(await answer(JSON.parse(line)));
  process.stdout.write(`${text}\n`, () => process.exit(0));
});
lines.once('close', () => process.exit(1));
