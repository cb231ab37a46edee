import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { checkedLock, hashOfLock, lockText } from '@trawl/libraries';
import type { Published, RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import type { PlatformStandIn } from './platform-stand-in.js';

interface Listed {
  version: string;
  dist: { integrity: string };
  scripts?: { install?: string };
}

/** Returns what the registry's list of a package says about its latest version. */
async function latestOf(registry: RegistryStandIn, name: string): Promise<Listed> {
  const list = (await (await fetch(new URL(encodeURIComponent(name), registry.url))).json()) as {
    versions: Record<string, Listed>;
    'dist-tags': { latest: string };
  };
  return list.versions[list['dist-tags'].latest] as Listed;
}

/** Publishes libraries and creates a lock for them, as the platform does with npm. Returns the hash of the lock. */
export async function publishedLock(
  registry: RegistryStandIn,
  platform: PlatformStandIn,
  libraries: Record<string, Published>,
): Promise<string> {
  const packages: Record<string, object> = {};
  for (const [name, published] of Object.entries(libraries)) {
    registry.publish(name, published);
    const { version, dist, scripts } = await latestOf(registry, name);
    const hasInstallScript = scripts?.install === undefined ? undefined : true;
    packages[`node_modules/${name}`] = { version, integrity: dist.integrity, hasInstallScript };
  }
  const dependencies = Object.fromEntries(Object.keys(libraries).map(name => [name, '*']));
  const text = lockText(checkedLock({ '': { dependencies }, ...packages }));
  const hash = hashOfLock(text);
  platform.locks.set(hash, text);
  registry.asked.length = 0;
  return hash;
}

/** Reads a package from this machine's node_modules. */
export function installed(name: string): Published {
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter(path => path !== 'package.json' && statSync(join(folder, path)).isFile());
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return {
    version: manifest.version,
    manifest,
    files: Object.fromEntries(files.map(path => [path, readFileSync(join(folder, path))])),
  };
}
