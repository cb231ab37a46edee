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
