import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Chromium } from '../executor/port/chromium.js';
import { isInSystemFolder } from '../executor/sandbox/sandbox-arguments.js';

const SYSTEM_PATHS: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium-browser',
    '/opt/google/chrome/chrome',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map(name =>
    join(process.env[name] ?? 'C:\\Program Files', 'Google\\Chrome\\Application\\chrome.exe'),
  ),
};

const SYSTEM_FONTS = ['/etc/fonts', '/usr/share/fontconfig', '/usr/share/fonts', '/usr/local/share/fonts'];
/** The loader searches these folders of the system before the libraries from Chromium's package. */
const SYSTEM_LIBRARIES = [
  `/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`,
  '/usr/lib64',
  '/usr/lib',
];

const PACKAGE = '@sparticuz/chromium';

/**
 * Finds a Chromium: the one that `CHROME_PATH` names, else an installed one, else the one from the npm package, which
 * is unpacked into `cache` the first time. Returns null if there is none.
 *
 * @param cache null to leave out the npm package
 */
export async function findChromium(named: string | null, cache: string | null, log: Logger): Promise<Chromium | null> {
  if (named !== null && !isProgram(named)) {
    log.warn({ path: named }, 'CHROME_PATH is not an executable file; looking for another Chromium');
  }
  const installed = [named, ...(SYSTEM_PATHS[process.platform] ?? [])].find(path => path !== null && isProgram(path));
  if (installed) return systemChromium(installed);
  // The package supports only linux-x64.
  if (cache === null || process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    return packageChromium(await unpackOnce(cache, log));
  } catch (error) {
    log.warn({ reason: String(error) }, 'unpacking Chromium failed');
    return null;
  }
}

function systemChromium(path: string): Chromium {
  const real = realpathSync(path);
  // Keep links in the path: /usr/bin often has a link to a program in /opt, which finds its files by its own path.
  const hasOwnPlace = isInSystemFolder(path) || path.startsWith('/opt/');
  const isElsewhere = hasOwnPlace && !isInSystemFolder(real);
  return {
    executable: hasOwnPlace ? path : real,
    home: hasOwnPlace ? null : dirname(real),
    folders: [...(isElsewhere ? [dirname(real)] : []), '/etc/chromium', '/etc/chromium.d', ...SYSTEM_FONTS],
    variables: { CHROME_PATH: hasOwnPlace ? path : real },
  };
}

function packageChromium(folder: string): Chromium {
  const executable = join(folder, 'chromium');
  const hasFonts = existsSync('/etc/fonts/fonts.conf') && existsSync('/usr/share/fonts');
  return {
    executable,
    home: folder,
    folders: SYSTEM_FONTS,
    variables: {
      CHROME_PATH: executable,
      LD_LIBRARY_PATH: [...SYSTEM_LIBRARIES, join(folder, 'al2023', 'lib')].join(':'),
      ...(hasFonts ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') }),
    },
  };
}

/**
 * Unpacks the package if the cache does not contain it yet, and returns its folder. If several workers unpack it at the
 * same time, the first one to finish wins.
 */
async function unpackOnce(cache: string, log: Logger): Promise<string> {
  const home = createRequire(import.meta.url)
    .resolve(PACKAGE)
    .split(join(PACKAGE, 'build'))[0];
  const { version } = JSON.parse(await readFile(join(home ?? '', PACKAGE, 'package.json'), 'utf8'));
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
