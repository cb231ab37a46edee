/**
 * A process of its own for what npm does, because what it reads was written by strangers: asked by one line of JSON
 * (`NpmRequest`) on standard input, it writes one line (`NpmAnswer`) to standard output and ends. It ends, too, when its
 * input is closed. No library's code is run: nothing but archives and lists of the registry is read.
 */
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Arborist from '@npmcli/arborist';
import { failureOf, type NpmFailure } from './npm-failure.js';

/** `packages` is that of a package-lock.json; of a `resolve` those to start from. */
export interface NpmRequest {
  task: 'resolve' | 'install';
  /** Empty; package.json and node_modules are made in it. */
  folder: string;
  /** What npm keeps of the registry's answers. */
  cache: string;
  /** Null: npm's own default. */
  registry: string | null;
  wanted: Record<string, string>;
  packages: Record<string, unknown> | null;
}

export type NpmAnswer = { packages: Record<string, unknown> } | { failure: NpmFailure };

/** The user without rights, under the number that Linux keeps for it. */
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
    // Whoever asked decides how long it is tried.
    fetchRetries: 0,
  });
  try {
    if (task === 'resolve') {
      const tree = await arborist.buildIdealTree({});
      return { packages: tree.meta.commit().packages };
    }
    await arborist.loadVirtual();
    await arborist.reify({ save: false });
    // It names the registry’s host, which is no matter of the skript’s.
    rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true });
    return { packages: {} };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Root's rights are given up for good, unless the folder stands where only root may go: root keeps doing it then. */
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
