import type { Context } from '../../context.js';
import { bundleSkript, warningsOf, writeBundle } from '../../local-run/bundle.js';
import { findFolder } from '../../skript-folder/find-folder.js';
import { readManifest } from '../../skript-folder/manifest.js';

/** Writes the bundle of a skript to dist/mainBundle.js. */
export default async function bundle({ skript }: { skript?: string }, { output }: Context): Promise<void> {
  const folder = await findFolder(skript);
  const built = await bundleSkript(folder);
  const warnings = warningsOf(built, (await readManifest(folder))?.environment);
  for (const warning of warnings) output.warn(warning);
  const path = await writeBundle(folder, built);
  const bytes = Buffer.byteLength(built.code);
  output.result({ path, bytes, warnings }, `Wrote ${path}, ${bytes} bytes`);
}
