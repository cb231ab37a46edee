// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromRoot } from './paths.mjs';

/**
 * Links the packages of this repository that a package's archive contains (`bundleDependencies`) into the package's own
 * `node_modules`. `npm pack` looks only there, and `npm install` removes the links.
 */
export function linkBundled() {
  for (const name of readdirSync(fromRoot('packages'))) {
    const file = fromRoot('packages', name, 'package.json');
    if (!existsSync(file)) continue;
    /** @type {{ bundleDependencies?: string[] }} */
    const { bundleDependencies = [] } = JSON.parse(readFileSync(file, 'utf8'));
    for (const bundled of bundleDependencies) {
      const place = fromRoot('packages', name, 'node_modules', bundled);
      if (existsSync(place)) continue;
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(fromRoot('packages', bundled.replace('@trawl/', '')), place, 'junction');
    }
  }
}
