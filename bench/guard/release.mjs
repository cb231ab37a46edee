// @ts-check
// A built checkout of an earlier commit, kept in the cache folder.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '@trawl/embedded';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The release to compare with while the repository has no tag of one. */
const FIRST_RELEASE = '75904a5a';

/** @param {string[]} args */
const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Returns the newest tag `v*` before the working tree. */
export function lastRelease() {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*');
  } catch {
    return FIRST_RELEASE;
  }
}

/**
 * Checks out a commit, installs its packages and builds it. The next call finds the same folder.
 * @param {string} revision
 * @returns {Promise<{ folder: string, commit: string }>}
 */
export async function builtCheckout(revision) {
  let commit;
  try {
    commit = git('rev-parse', '--short=8', `${revision}^{commit}`);
  } catch {
    throw new Error(`This clone has no commit ${revision}. Fetch it, for example with "git fetch --unshallow --tags".`);
  }
  const folder = join(cacheDir(), 'bench-releases', commit);
  if (existsSync(folder)) return { folder, commit };
  const work = `${folder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  console.error(`Checking out ${commit}`);
  const archive = join(work, 'checkout.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', work]);
  rmSync(archive);
  for (const args of [['ci'], ['run', 'build']]) {
    console.error(`npm ${args.join(' ')} of ${commit} (once, about a minute)`);
    const npm = spawn('npm', args, { cwd: work, stdio: ['ignore', 2, 2] });
    const [code] = await once(npm, 'exit');
    if (code !== 0) throw new Error(`npm ${args.join(' ')} of ${commit} exited with ${code}, in ${work}`);
  }
  renameSync(work, folder);
  return { folder, commit };
}
