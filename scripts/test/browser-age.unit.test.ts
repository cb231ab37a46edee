import { readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';
import { PACKAGE, pinnedVersion } from '../dependencies/browser-age.mjs';

it('the packages website, e2e and bench depend on the Chromium version that is pinned for workers', () => {
  for (const room of ['website', 'e2e', 'bench']) {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(fromRoot(room, 'package.json'), 'utf8'));
    expect({ ...dependencies, ...devDependencies }[PACKAGE]).toBe(pinnedVersion());
  }
});
