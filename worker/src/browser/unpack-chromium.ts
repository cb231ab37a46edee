/**
 * Unpacks the Chromium of `@sparticuz/chromium`, with its fonts and libraries, into the folder that is its argument, so
 * that everybody can read it and only its own user write. The package knows only the folder for temporary files as a place for it, and unpacks its
 * libraries only where it takes the system for one that has none: both are said to this process by its environment.
 */
import { chmod, chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder to unpack into');
process.env.TMPDIR = folder;
process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
const { default: chromium } = await import('@sparticuz/chromium');
await chromium.executablePath();
await chmod(folder, 0o755);
for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const isProgram = entry.isDirectory() || entry.name === 'chromium';
  // The archives bring the ids of users of the machine where they were made.
  await chown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  await chmod(path, isProgram ? 0o755 : 0o644);
}
