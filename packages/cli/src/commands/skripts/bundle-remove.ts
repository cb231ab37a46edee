import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../context.js';
import { BUNDLE } from '../../local-run/bundle.js';
import { isThere } from '../../local-run/is-there.js';
import { findFolder } from '../../skript-folder/find-folder.js';

/** Removes dist/mainBundle.js. */
export default async function bundleRemove({ skript }: { skript?: string }, { output }: Context): Promise<void> {
  const path = join(await findFolder(skript), BUNDLE);
  const removed = await isThere(path);
  await rm(path, { force: true });
  output.result({ path, removed }, removed ? `Removed ${path}` : `There is no ${path}`);
}
