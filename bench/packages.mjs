// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir } from '@trawl/embedded';

/**
 * Installs the packages of a folder of benchmarks in the cache folder. They are large and only one benchmark needs
 * them, so the checkout is installed without them.
 * @param {string} name of a folder with a package.json that is not a workspace
 * @returns {Promise<string>} a folder with the files of that folder and their packages
 */
export async function withPackages(name) {
  const source = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const folder = join(cacheDir(), `bench-${name}`);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(source)) if (file !== 'node_modules') cpSync(join(source, file), join(folder, file));
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return folder;
  console.error(`Installing the packages of ${name} (once, about a minute)`);
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm ci in ${folder} exited with ${code}`);
  return folder;
}
