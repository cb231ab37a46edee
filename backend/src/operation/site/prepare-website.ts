import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { SITE_PLACEHOLDERS } from '@trawl/contracts';
import pLimit from 'p-limit';
import type { Config } from '../../platform/common/config.js';

type Settings = Pick<Config, 'publicUrl' | 'siteEmail' | 'siteOperator' | 'websiteDir' | 'dataDir'>;

const COMPRESSIBLE = /\.(html|js|css|svg|json|yaml)$/;
const MIN_COMPRESSED_BYTES = 1024;
/** A script, whose name contains a hash of its content. */
const SCRIPT = /^(assets\/js\/.+\.)([0-9a-f]{8})(\.js)$/;
/** Compresses 2 % less than 8, in half the time. */
const BROTLI_QUALITY = 5;
/** Compresses 12 % more than 5, in 30 times the time: a second and a half for what a first visit of the home page loads. */
const BEST_BROTLI_QUALITY = 11;
const HOME = 'index.html';
/**
 * How many files are copied at the same time. If all were, the compressors would take 200 MB, which the process would
 * keep for ever.
 */
const FILES_AT_ONCE = 4;
/** How many folders stay, because other backends with the same data folder may still serve an earlier one. */
const KEPT_FOLDERS = 3;
const HOUR_MS = 3_600_000;

/**
 * Puts the settings of this installation into a copy of the built website, in the data folder, and returns the copy's
 * folder. A later start with the same build and settings uses the same copy. Without a build, returns null.
 * See docs/decisions/0380-the-backend-fills-in-the-website.md.
 */
export async function prepareWebsite(settings: Settings): Promise<string | null> {
  const { websiteDir } = settings;
  if (!existsSync(websiteDir)) return null;
  const entries = await readdir(websiteDir, { recursive: true, withFileTypes: true });
  const names = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(websiteDir.length + 1))
    .sort();
  const copies = join(settings.dataDir, 'website');
  const copy = join(copies, copyName(settings, names));
  await mkdir(copies, { recursive: true });
  if (!existsSync(copy)) await makeCopy(settings, names, copy);
  const now = new Date();
  await utimes(copy, now, now);
  await removeOldCopies(copies);
  return copy;
}

/** Returns a name that differs for each build and settings. */
function copyName({ websiteDir, publicUrl, siteEmail, siteOperator }: Settings, names: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([publicUrl, siteEmail, siteOperator]));
  for (const name of names) {
    const { size, mtimeMs } = statSync(join(websiteDir, name));
    hash.update(`${name}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function makeCopy(settings: Settings, names: string[], copy: string): Promise<void> {
  const { websiteDir } = settings;
  const home = await readFile(join(websiteDir, HOME), 'utf8');
  const qualityOf = (name: string): number =>
    name === HOME || home.includes(`/${name}`) ? BEST_BROTLI_QUALITY : BROTLI_QUALITY;
  const fill = filler(settings, names);
  const unfinished = await mkdtemp(`${copy}.`);
  const copyOne = async (name: string) => {
    const escaped = ESCAPES[extname(name)];
    const target = join(unfinished, escaped ? fill.name(name) : name);
    await mkdir(dirname(target), { recursive: true });
    if (!escaped) await copyFile(join(websiteDir, name), target);
    else await writeFile(target, fill.text(await readFile(join(websiteDir, name), 'utf8'), escaped));
    if (COMPRESSIBLE.test(name)) await compress(target, qualityOf(name));
  };
  await pLimit(FILES_AT_ONCE).map(names, copyOne);
  try {
    await rename(unfinished, copy);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another backend with this data folder was faster.
    if (!existsSync(copy)) throw error;
  }
}

type Escape = (text: string) => string;

const unchanged: Escape = text => text;
const forMarkup: Escape = text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
const forScript: Escape = text =>
  text.replace(/[^\w .:/@-]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How settings are written into files, by their extension. Other files contain no settings. */
const ESCAPES: Record<string, Escape> = {
  '.html': forMarkup,
  '.js': forScript,
  '.json': forScript,
  '.md': unchanged,
  '.txt': unchanged,
  '.xml': forMarkup,
  '.yaml': unchanged,
};

/** Returns how texts and names of files change. */
function filler({ publicUrl, siteEmail, siteOperator }: Settings, names: string[]) {
  // Browsers keep scripts forever by their names, so scripts with other settings need other names.
  const hashes = new Map<string, string>();
  for (const name of names) {
    const hash = SCRIPT.exec(name)?.[2];
    if (!hash) continue;
    const changed = createHash('sha256').update(JSON.stringify([hash, publicUrl, siteEmail, siteOperator]));
    hashes.set(hash, changed.digest('hex').slice(0, 8));
  }
  const rehash = (hash: string): string => hashes.get(hash) ?? hash;
  return {
    name: (name: string): string => name.replace(SCRIPT, (_, start, hash, end) => `${start}${rehash(hash)}${end}`),
    text: (text: string, escaped: Escape): string =>
      text
        .replace(/\b[0-9a-f]{8}\b/g, rehash)
        .replaceAll(SITE_PLACEHOLDERS.publicUrl, () => escaped(publicUrl))
        .replaceAll(SITE_PLACEHOLDERS.email, () => escaped(siteEmail))
        .replaceAll(SITE_PLACEHOLDERS.operator, () => escaped(siteOperator)),
  };
}

/** Writes a file compressed beside it, so that the server does not have to compress it for each visitor. */
async function compress(path: string, quality: number): Promise<void> {
  const content = await readFile(path);
  if (content.byteLength < MIN_COMPRESSED_BYTES) return;
  const brotli = promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  await Promise.all([writeFile(`${path}.br`, await brotli), writeFile(`${path}.gz`, await promisify(gzip)(content))]);
}

/** Removes copies for earlier builds and settings, and those that a killed backend did not finish. */
async function removeOldCopies(copies: string): Promise<void> {
  const found = (await readdir(copies)).map(name => {
    const path = join(copies, name);
    // Another backend may just have removed or renamed the folder.
    return { path, usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const old = found
    .sort((a, b) => b.usedAt - a.usedAt)
    .slice(KEPT_FOLDERS)
    .filter(({ usedAt }) => usedAt < Date.now() - HOUR_MS);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}
