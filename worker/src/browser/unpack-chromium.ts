/**
 * Unpacks the Chromium of `@sparticuz/chromium`, with its fonts and libraries, into the folder that is its argument.
 * Everybody can read the files, and only their owner can write them. The package unpacks into the folder for temporary
 * files, and it unpacks its libraries only on AWS Lambda. So this process sets the environment variables for both.
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
  // The files have user ids of the machine that built the archives, so set the owner.
  await chown(path, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  await chmod(path, isProgram ? 0o755 : 0o644);
}
