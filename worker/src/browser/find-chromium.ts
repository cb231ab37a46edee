import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isChromiumOld } from '@trawl/contracts';
import type { Logger } from 'pino';
import { isInSystemFolder } from '../executor/sandbox/sandbox-arguments.js';
import { debianChromium } from './debian-chromium.js';
import { compareVersions, type FoundChromium, versionOf } from './found-chromium.js';
import { npmChromium, npmVersion, supportsNpm } from './npm-chromium.js';
import { SYSTEM_FONTS } from './system-folders.js';

const SYSTEM_PATHS: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium-browser',
    '/usr/bin/chromium-headless-shell',
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

/** The Chromium for runs, and whether the worker keeps it up to date: not one that an operator has chosen or updates. */
export interface ChosenChromium {
  chromium: FoundChromium | null;
  isOurs: boolean;
}

/**
 * Finds a Chromium: the one that `CHROME_PATH` names, else an installed one that is not old, else the newest of those
 * that are installed, in `cache` or in the npm package. That one is unpacked into `cache` the first time.
 *
 * See docs/decisions/0402-chromium-of-runs.md.
 * @param cache null to take only a Chromium that is named or installed
 * @param avoid path of a program in the cache that did not work in a run
 */
export async function findChromium(
  named: string | null,
  cache: string | null,
  log: Logger,
  avoid: string | null = null,
): Promise<ChosenChromium> {
  if (named !== null && isProgram(named)) return { chromium: systemChromium(named), isOurs: false };
  if (named !== null) log.warn({ path: named }, 'CHROME_PATH is not an executable file; looking for another Chromium');
  const path = SYSTEM_PATHS[process.platform]?.find(isProgram);
  const installed = path === undefined ? null : systemChromium(path);
  if (cache === null || process.platform !== 'linux') return { chromium: installed, isOurs: false };
  if (installed) {
    installed.version = await versionOf(installed);
    if (installed.version !== null && !isChromiumOld(installed.version)) return { chromium: installed, isOurs: false };
  }
  const debian = await debianChromium(cache, avoid);
  const best = debian && compareVersions(debian.version, installed?.version ?? null) > 0 ? debian : installed;
  if (!supportsNpm || compareVersions(best?.version ?? null, await npmVersion()) >= 0)
    return { chromium: best, isOurs: true };
  try {
    return { chromium: await npmChromium(cache, log), isOurs: true };
  } catch (error) {
    log.warn({ reason: String(error) }, 'unpacking Chromium failed');
    return { chromium: best, isOurs: true };
  }
}

function systemChromium(path: string): FoundChromium {
  const real = realpathSync(path);
  // Keep links in the path: /usr/bin often has a link to a program in /opt, which finds its files by its own path.
  const hasOwnPlace = isInSystemFolder(path) || path.startsWith('/opt/');
  const isElsewhere = hasOwnPlace && !isInSystemFolder(real);
  const executable = hasOwnPlace ? path : real;
  return {
    version: null,
    executable,
    home: hasOwnPlace ? null : dirname(real),
    folders: [...(isElsewhere ? [dirname(real)] : []), '/etc/chromium', '/etc/chromium.d', ...SYSTEM_FONTS],
    variables: { CHROME_PATH: executable },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
