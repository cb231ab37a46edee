import { existsSync, statSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Apt, fetchDebianPackages } from '@trawl/embedded/debian-packages';
import { compareVersions, type FoundChromium, versionOf } from './found-chromium.js';
import { hasFonts, SYSTEM_FONTS, SYSTEM_LIBRARIES, TRIPLET } from './system-folders.js';

/** Chromium without a window and without its libraries: it needs half the memory of the package `chromium`. */
const PACKAGE = 'chromium-headless-shell';
/** Always downloaded, because its files must be next to the program even if this machine has them installed. */
const FILES = 'chromium-common';
const FONTS = 'fonts-liberation';
const PREFIX = `debian-chromium-${process.arch}-`;
const FETCHED = `${PREFIX}fetched-`;
/** With a slow connection the download, about 100 MB, takes minutes. Nothing waits for it. */
const FETCH_MS = 30 * 60_000;
/** Workers of this machine may still use the second newest. */
const KEPT = 2;

/** Names of the fonts in this package are relative to this file, because a sandbox mounts it elsewhere. */
const FONTS_CONF = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;

class AlreadyThere extends Error {}

/**
 * Returns the newest Debian Chromium in the cache that works on this machine; null if there is none.
 *
 * @param avoid path of a program that did not work in a run
 */
export async function debianChromium(cache: string, avoid: string | null): Promise<FoundChromium | null> {
  for (const version of await versionsIn(cache)) {
    const found = describe(join(cache, PREFIX + version), version);
    if (found.executable === avoid) continue;
    // After an upgrade of the system, libraries may be missing.
    if ((await versionOf(found)) !== null) return found;
  }
  return null;
}

/** Whether a Chromium is one of those that `fetchDebianChromium` downloaded. */
export const isFromDebian = ({ home }: FoundChromium): boolean => home !== null && basename(home).startsWith(PREFIX);

/**
 * Downloads Debian's newest Chromium, and the libraries that this machine lacks, into the cache, unless they are there.
 * Removes older ones. Resolves with the version that is the newest then.
 *
 * @throws Error with the reason, such as a machine without apt
 */
export async function fetchDebianChromium(cache: string): Promise<string> {
  let version = '';
  const packages = async (apt: Apt): Promise<string[]> => {
    // This installs nothing: apt only lists what is missing.
    const plan = await apt('apt-get', '--simulate', '--no-install-recommends', 'install', PACKAGE, FILES, ...fonts());
    const policy = await apt('apt-cache', 'policy', PACKAGE);
    version = /Candidate: (?:\d+:)?([\d.]+)/.exec(policy)?.[1] ?? '';
    if (!version) throw new Error(`apt has no package ${PACKAGE}`);
    await expectMissing(cache, version);
    return [...new Set([PACKAGE, FILES, ...fonts(), ...namesIn(plan)])];
  };
  await removeLeftOver(cache);
  const fetched = join(cache, `${FETCHED}${process.pid}`);
  try {
    await fetchDebianPackages({ folder: fetched, packages, newest: true, timeoutMs: FETCH_MS });
    await writeFile(join(fetched, 'fonts.conf'), FONTS_CONF);
    const works = await versionOf(describe(fetched, version));
    if (works === null) throw new Error(`Chromium ${version} of Debian does not start on this machine`);
    // Another worker may have downloaded the same version meanwhile, and its runs may use it.
    await expectMissing(cache, version);
    const folder = join(cache, PREFIX + version);
    await rm(folder, { recursive: true, force: true });
    await rename(fetched, folder);
  } catch (error) {
    if (!(error instanceof AlreadyThere)) throw error;
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
  const old = (await versionsIn(cache)).slice(KEPT);
  for (const each of old) await rm(join(cache, PREFIX + each), { recursive: true, force: true });
  return version;
}

/** @throws AlreadyThere if the cache has this version, and it works */
async function expectMissing(cache: string, version: string): Promise<void> {
  const found = describe(join(cache, PREFIX + version), version);
  if (existsSync(found.executable) && (await versionOf(found)) !== null) throw new AlreadyThere();
}

/** Removes what downloads left that were killed. */
async function removeLeftOver(cache: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const path = join(cache, name);
    if (name.startsWith(FETCHED) && Date.now() - statSync(path).mtimeMs > FETCH_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** Lists the versions in the cache, the newest first. */
async function versionsIn(cache: string): Promise<string[]> {
  const names = await readdir(cache).catch(() => []);
  return names
    .filter(name => name.startsWith(PREFIX))
    .map(name => name.slice(PREFIX.length))
    .filter(version => /^[\d.]+$/.test(version))
    .sort((a, b) => compareVersions(b, a));
}

const fonts = (): string[] => (hasFonts() ? [] : [FONTS]);

const namesIn = (plan: string): string[] => [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => String(name));

function describe(folder: string, version: string): FoundChromium {
  const executable = join(folder, 'usr/lib/chromium', PACKAGE);
  // Libraries of the package come first: the plan of apt has newer ones only where Chromium needs them.
  const own = ['usr/lib', 'lib'].flatMap(path => [
    join(folder, path, TRIPLET),
    join(folder, path, TRIPLET, 'pulseaudio'),
  ]);
  return {
    version,
    executable,
    home: folder,
    folders: SYSTEM_FONTS,
    variables: {
      CHROME_PATH: executable,
      LD_LIBRARY_PATH: [...own, ...SYSTEM_LIBRARIES].join(':'),
      ...(hasFonts() ? {} : { FONTCONFIG_FILE: join(folder, 'fonts.conf') }),
    },
  };
}
